// A drawer with plots over the time that the view shows: signals by name, zoom, one cursor. A click goes to an instant.
(() => {
  "use strict";
  const { make, send } = FootfallLink;
  let marks = [], lines = null;
  let plots = null, drawer = null, track = null, back = null, clock = null, open = false, names = [], range = [0, 1], following = true;
  const floats = (text) => new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const choose = () => send({ do: "choose", names: open && plots ? plots.shown.map((each) => each.group.name).slice(0, 12) : [] });
  const toggle = () => {
    open = !open;
    drawer.classList.toggle("open", open);
    button.classList.toggle("on", open);
    choose();
    if (open && plots) plots.draw();
  };
  let button = null;
  const build = () => {
    drawer = make(document.body, "div", { id: "ff-drawer", class: "ff-card" });
    const bar = make(drawer, "div", { id: "ff-bar" });
    button = make(bar, "button", { id: "ff-plots", text: "Plots", title: "signals over time; a click in a plot goes to that instant" });
    button.onclick = toggle;
    const line = make(bar, "div", { id: "ff-line" });
    track = make(line, "input", { id: "ff-track", type: "range", step: "any", min: "0", max: "1", value: "1", title: "look back" });
    lines = make(line, "div", { id: "ff-marks" });
    track.oninput = () => send({ do: "seek", time: Number(track.value) });
    clock = make(bar, "span", { id: "ff-now" });
    back = make(bar, "button", { id: "ff-live", text: "Now", title: "the present again" });
    back.onclick = () => send({ do: "seek", time: null });
    drawer.body = make(drawer, "div", { id: "ff-plot-list" });
    for (const kind of ["keydown", "keyup"]) drawer.addEventListener(kind, (event) => event.stopPropagation());
    listen();
  };
  // Plans, signals and falls on the time line; a click goes there, and a second before a fall.
  const mark = () => {
    lines.replaceChildren();
    for (const each of marks) {
      if (each.time < range[0] - 1e-6 || each.time > range[1] + 1e-6) continue;
      const node = make(lines, "i", { class: each.kind, title: `${each.time.toFixed(2)} s: ${each.text}` });
      node.style.left = `${100 * (each.time - range[0]) / (range[1] - range[0])}%`;
      node.onpointerdown = () => send({ do: "seek", time: Math.max(each.time - (each.kind === "fallen" ? 1 : 0), range[0], 0) });
    }
  };
  const groupOf = (name, unit) => ({ name, unit, series: [] });
  const listen = () => {
    FootfallLink.on("signals", (news) => { // which there are
      names = news.names;
      drawer.style.display = names.length ? "" : "none";
      back.style.display = news.live ? "" : "none";
      drawer.body.replaceChildren();
      plots = new Plots(drawer.body, names.map(([name, unit]) => groupOf(name, unit)), range, (time) => send({ do: "seek", time: Math.max(time, 0) }), news.chosen, choose);
      choose();
    });
    FootfallLink.on("plots", (news) => { // their values, of those that are seen
      if (!plots) return;
      const times = news.times.map(floats);
      for (const each of news.groups) {
        const group = plots.groups.find((one) => one.name === each.name);
        if (group) group.series = each.series.map((one) => ({ ...one, time: times[one.run], values: floats(one.values) }));
      }
      if (open) plots.draw();
    });
    FootfallLink.on("marks", (news) => { marks = news.marks; mark(); });
    FootfallLink.on("time", (news) => { // where the view stands
      const whole = plots && plots.range === plots.full;
      range = news.range[1] > news.range[0] ? news.range : [news.range[0], news.range[0] + 1e-3];
      track.min = range[0]; track.max = range[1];
      if (marks.length) mark();
      if (document.activeElement !== track || following) track.value = news.now;
      following = news.live;
      clock.textContent = `${news.now.toFixed(2)} s`;
      back.classList.toggle("on", news.live);
      if (!plots) return;
      plots.full = range;
      if (whole) plots.range = range;
      plots.now = news.now;
      if (open) plots.draw();
    });
  };
  FootfallLink.ready(build);
})();
