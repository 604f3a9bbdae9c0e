// Plots of signals over one time: choose by name, several recordings in one axis, zoom by the wheel, one cursor.
const COLORS = ["#c44e52", "#4c72b0", "#55a868", "#8172b3", "#ccb974", "#64b5cd", "#dd8452", "#937860", "#da8bc3"];
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

class Plots {
  // groups: {name, unit, series: [{label, run, time: array, values: array}]}; seek: called with a time, s.
  // changed: called when plots come or go.
  constructor(place, groups, range, seek, chosen, changed = () => {}) {
    this.groups = groups;
    this.full = this.range = range;
    this.seek = seek;
    this.now = range[0];
    this.place = place;
    this.changed = changed;
    place.classList.add("plots");
    const tools = document.createElement("div");
    tools.className = "tools";
    this.search = document.createElement("input");
    this.search.placeholder = `add a signal: ${groups.length} by name`;
    this.search.setAttribute("list", "plot-names");
    const names = document.createElement("datalist");
    names.id = "plot-names";
    for (const group of groups) names.appendChild(document.createElement("option")).value = group.name;
    this.search.onchange = () => { this.add(this.search.value); this.search.value = ""; this.changed(); };
    tools.append(this.search, names);
    this.body = document.createElement("div");
    place.append(tools, this.body);
    this.shown = [];
    for (const name of chosen) this.add(name);
    new ResizeObserver(() => this.draw()).observe(place);
  }
  add(name) {
    const group = this.groups.find((each) => each.name === name);
    if (!group || this.shown.some((each) => each.group === group)) return;
    const box = document.createElement("div"), head = document.createElement("div"), canvas = document.createElement("canvas");
    box.className = "plot";
    head.className = "head";
    const title = document.createElement("b"), values = document.createElement("span"), close = document.createElement("button");
    title.textContent = group.unit ? `${group.name}, ${group.unit}` : group.name;
    close.textContent = "\u00d7";
    head.append(title, values, close);
    box.append(head, canvas);
    this.body.appendChild(box);
    const item = { group, canvas, values, box };
    close.onclick = () => { box.remove(); this.shown = this.shown.filter((each) => each !== item); this.changed(); };
    const at = (event) => {
      const frame = canvas.getBoundingClientRect();
      const share = (event.clientX - frame.x - 46) / (frame.width - 52);
      return this.range[0] + share * (this.range[1] - this.range[0]);
    };
    canvas.onpointerdown = (event) => { canvas.setPointerCapture(event.pointerId); this.seek(at(event)); };
    canvas.onpointermove = (event) => { if (canvas.hasPointerCapture(event.pointerId)) this.seek(at(event)); };
    canvas.ondblclick = () => { this.range = this.full; this.draw(); };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const middle = at(event), factor = Math.exp(event.deltaY * 0.0015);
      this.range = [Math.max(this.full[0], middle + (this.range[0] - middle) * factor), Math.min(this.full[1], middle + (this.range[1] - middle) * factor)];
      if (this.range[1] - this.range[0] < 0.02) this.range = this.full;
      this.draw();
    }, { passive: false });
    this.shown.push(item);
    this.drawOne(item);
  }
  show(now) { this.now = now; this.draw(); }
  draw() { for (const item of this.shown) this.drawOne(item); }
  static row(time, at) { // the last that is not later
    let low = 0, high = time.length;
    while (low < high) { const middle = (low + high) >> 1; if (time[middle] <= at) low = middle + 1; else high = middle; }
    return Math.max(low - 1, 0);
  }
  drawOne({ group, canvas, values }) {
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width) return;
    if (canvas.width !== Math.round(width * ratio)) { canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio); }
    const g = canvas.getContext("2d"), [left, right, top, bottom] = [46, width - 6, 6, height - 18];
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    let low = Infinity, high = -Infinity;
    const spans = group.series.map((each) => [Plots.row(each.time, this.range[0]), Plots.row(each.time, this.range[1])]);
    group.series.forEach((each, k) => {
      for (let i = spans[k][0]; i <= spans[k][1]; i++) { const v = each.values[i]; if (v < low) low = v; if (v > high) high = v; }
    });
    if (!(high >= low)) { low = -1; high = 1; }
    const pad = 0.06 * (high - low) || 0.5 * Math.abs(high) || 1;
    low -= pad; high += pad;
    const x = (t) => left + (t - this.range[0]) / (this.range[1] - this.range[0]) * (right - left);
    const y = (v) => bottom - (v - low) / (high - low) * (bottom - top);
    g.font = "10px system-ui, sans-serif";
    g.lineWidth = 1;
    for (const [begin, end, vertical] of [[low, high, true], [this.range[0], this.range[1], false]]) {
      const step = Plots.step(end - begin, vertical ? 4 : 6);
      for (let v = Math.ceil(begin / step) * step; v <= end; v += step) {
        const p = vertical ? y(v) : x(v);
        g.strokeStyle = "#e3e7ed";
        g.beginPath();
        if (vertical) { g.moveTo(left, p); g.lineTo(right, p); } else { g.moveTo(p, top); g.lineTo(p, bottom); }
        g.stroke();
        g.fillStyle = "#5b6b7f";
        g.textAlign = vertical ? "right" : "center";
        g.fillText(Plots.text(v, step), vertical ? left - 4 : p, vertical ? p + 3 : bottom + 12);
      }
    }
    g.save();
    g.beginPath();
    g.rect(left, top, right - left, bottom - top);
    g.clip();
    group.series.forEach((each, k) => {
      g.strokeStyle = COLORS[each.color % COLORS.length];
      g.setLineDash(DASHES[(each.dash ?? each.run) % DASHES.length]);
      g.lineWidth = 1.4;
      g.beginPath();
      const every = Math.max(1, Math.floor((spans[k][1] - spans[k][0]) / (3 * (right - left))));
      let drawing = false;
      for (let i = spans[k][0]; i <= spans[k][1]; i += every) {
        const v = each.values[i];
        if (!Number.isFinite(v)) { drawing = false; continue; }
        if (drawing) g.lineTo(x(each.time[i]), y(v)); else g.moveTo(x(each.time[i]), y(v));
        drawing = true;
      }
      g.stroke();
    });
    g.restore();
    g.setLineDash([]);
    if (this.now >= this.range[0] && this.now <= this.range[1]) {
      g.strokeStyle = "#1d2733";
      g.beginPath();
      g.moveTo(x(this.now), top);
      g.lineTo(x(this.now), bottom);
      g.stroke();
    }
    values.replaceChildren();
    for (const each of group.series.slice(0, 9)) {
      const node = document.createElement("i");
      node.style.color = COLORS[each.color % COLORS.length];
      const v = each.values[Plots.row(each.time, this.now)];
      node.textContent = `${each.label} ${v === undefined || !Number.isFinite(v) ? "-" : v.toPrecision(4)}`;
      values.appendChild(node);
    }
  }
  static step(span, count) {
    const raw = span / count, power = 10 ** Math.floor(Math.log10(raw)), share = raw / power;
    return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
  }
  static text(value, step) { return Math.abs(value) < 1e-9 * step ? "0" : Number(value.toPrecision(6)).toString(); }
}
