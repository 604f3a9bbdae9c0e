// Plays recordings from one file: bodies, contact forces, plots, and what happened, on one time.
"use strict";
(async () => {
  const unpack = async (id) => {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
  };
  const head = JSON.parse(document.getElementById("head").textContent);
  const blob = await unpack("data");
  const array = ([kind, offset, count]) => new ({ f4: Float32Array, u4: Uint32Array, u2: Uint16Array, i2: Int16Array })[kind](blob, offset, count);
  const element = (id) => document.getElementById(id);
  document.title = head.title;
  if (head.pixels) document.body.style.display = "none"; // pictures are taken from the canvas: nobody looks at the page
  element("title").textContent = head.title;

  // Signals: whole numbers with a scale and a lowest value for each.
  const groups = new Map();
  for (const each of head.signals) {
    const time = array(head.runs[each.run].time), raw = array(each.data), n = each.labels.length;
    if (!groups.has(each.name)) groups.set(each.name, { name: each.name, unit: each.unit, series: [] });
    each.labels.forEach((label, k) => {
      const values = new Float32Array(time.length);
      for (let i = 0; i < time.length; i++) {
        const v = raw[i * n + k];
        values[i] = v === 65535 ? NaN : each.low[k] + each.scale[k] * v;
      }
      const name = head.runs.length > 1 ? `${head.runs[each.run].name} ${label}` : label;
      groups.get(each.name).series.push({ label: name, run: each.run, color: head.runs.length > 1 && n === 1 ? each.run : k, time, values });
    });
  }
  const signal = (name, run = 0) => head.signals.some((each) => each.name === name && each.run === run)
    ? groups.get(name).series.filter((each) => each.run === run) : null;

  // Bodies.
  const canvas = element("view"), renderer = head.runs[0].bodies ? new Renderer(canvas, Boolean(head.pixels)) : null;
  const meshes = head.meshes.map((each) => renderer && renderer.upload(array(each.vertices), array(each.triangles), each.unit, each.base));
  const runs = head.runs.map((run) => ({ ...run, time: array(run.time), frames: run.bodies ? array(run.poses) : null,
    forces: run.forces ? array(run.forces) : null, counts: run.counts ? array(run.counts) : null }));
  runs.forEach((run) => {
    run.starts = run.counts ? run.counts.reduce((out, n) => { out.push(out[out.length - 1] + n); return out; }, [0]) : null;
  });
  let now = head.begin, playing = head.play, speed = 1, follow = true, layers = { forces: true, balance: true };
  const poseAt = (run, row, next, share, k) => {
    const n = run.moving, at = (r) => {
      const i = (r * n + k) * 7, f = run.frames;
      return [run.low[0] + run.step[0] * f[i], run.low[1] + run.step[1] * f[i + 1], run.low[2] + run.step[2] * f[i + 2],
        f[i + 3] / 32767 - 1, f[i + 4] / 32767 - 1, f[i + 5] / 32767 - 1, f[i + 6] / 32767 - 1];
    };
    const a = at(row), b = at(next);
    const sign = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -1 : 1;
    const m = a.map((v, i) => v + share * ((i < 3 ? b[i] : sign * b[i]) - v));
    const norm = Math.hypot(m[3], m[4], m[5], m[6]) || 1;
    return [m.slice(0, 3), m.slice(3).map((v) => v / norm)];
  };
  const camera = { azimuth: head.camera[0], elevation: head.camera[1], distance: head.camera[2], focus: head.focus.slice() };
  const gather = () => {
    const items = [];
    let middle = null;
    runs.forEach((run, number) => {
      const row = Plots.row(run.time, now), next = Math.min(row + 1, run.time.length - 1);
      const span = run.time[next] - run.time[row], share = span > 0 ? Math.min(Math.max((now - run.time[row]) / span, 0), 1) : 0;
      let k = 0;
      for (const body of run.bodies) {
        let pose;
        if (body.still) pose = Mat.pose(body.still.slice(0, 3), body.still.slice(3));
        else {
          const [p, q] = poseAt(run, row, next, share, k++);
          pose = Mat.pose(p, q);
          if (number === 0 && middle === null) middle = p;
        }
        for (const [mesh, color] of body.parts) {
          const shown = number === 0 ? color : [0.3, 0.5, 0.9, 0.3];
          if (number === 0 || !body.still) items.push({ mesh: meshes[mesh], pose, color: shown, shadow: number === 0 });
        }
      }
      if (run.forces && layers.forces) for (let i = run.starts[row]; i < run.starts[row + 1]; i++) {
        const f = run.forces, at = [f[6 * i], f[6 * i + 1], f[6 * i + 2]];
        const along = [3, 4, 5].map((j) => f[6 * i + j] * run.perNewton), long = Math.hypot(...along);
        if (long > 0.01 * run.size) items.push({ mesh: renderer.arrow, pose: Renderer.arrowPose(at, along.map((v) => v * Math.min(1, 0.8 * run.size / long)), 0.75 * run.size), color: [0.98, 0.24, 0.0, 1] });
      }
      if (layers.balance && number === 0) for (const [name, color] of [["center", [0.18, 0.55, 0.34, 1]], ["zmp", [0.08, 0.08, 0.08, 1]]]) {
        const series = signal(name);
        if (series && series.length === 3) {
          const p = series.map((each) => each.values[Plots.row(each.time, now)]);
          if (p.every(Number.isFinite)) items.push({ mesh: renderer.ball, pose: new Float32Array([0.022, 0, 0, 0, 0, 0.022, 0, 0, 0, 0, 0.022, 0, ...p, 1]), color, shadow: false });
        }
      }
    });
    return [items, middle];
  };
  const resize = () => {
    const ratio = head.pixels ? 1 : Math.min(window.devicePixelRatio || 1, 2);
    const [w, h] = head.pixels || [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  };
  const draw = (settle = false) => {
    if (!renderer) return;
    resize();
    const [items, middle] = gather();
    if (follow && middle) {
      const aim = [middle[0] + head.offset[0], middle[1] + head.offset[1], head.focus[2] + (middle[2] - head.root) * 0.3];
      camera.focus = camera.focus.map((v, i) => v + (settle ? 1 : 0.12) * (aim[i] - v)); // without jerks
    }
    const { azimuth, elevation, distance, focus } = camera;
    const eye = [focus[0] + distance * Math.cos(elevation) * Math.cos(azimuth), focus[1] + distance * Math.cos(elevation) * Math.sin(azimuth),
      Math.max(focus[2] + distance * Math.sin(elevation), head.ground + 0.05)];
    renderer.height = head.ground;
    renderer.draw(items, eye, focus, 0.7);
  };

  // Controls.
  const slider = element("time");
  slider.min = head.begin; slider.max = head.end; slider.step = "any";
  const plots = new Plots(element("plots"), [...groups.values()], [head.begin, head.end], (time) => { go(time); }, head.chosen);
  const events = element("events");
  const show = () => {
    slider.value = now;
    element("clock").textContent = `${now.toFixed(2)} / ${head.end.toFixed(2)} s`;
    plots.show(now);
    const past = head.events.filter((each) => each.time <= now + 1e-9);
    element("event").textContent = past.length ? past[past.length - 1].text : "";
  };
  const go = (time) => { now = Math.min(Math.max(time, head.begin), head.end); show(); draw(); };
  const play = (on) => { playing = on; element("play").textContent = on ? "\u275a\u275a" : "\u25b6"; };
  element("play").onclick = () => { if (!playing && now >= head.end) now = head.begin; play(!playing); };
  element("speed").onchange = (event) => { speed = Number(event.target.value); };
  element("follow").onchange = (event) => { follow = event.target.checked; };
  element("forces").onchange = (event) => { layers.forces = event.target.checked; draw(); };
  slider.oninput = () => go(Number(slider.value));
  for (const each of head.events) {
    const mark = document.createElement("i");
    mark.style.left = `${100 * (each.time - head.begin) / Math.max(head.end - head.begin, 1e-9)}%`;
    mark.title = `${each.time.toFixed(2)} s: ${each.text}`;
    mark.className = each.kind;
    mark.onclick = () => go(each.time);
    events.appendChild(mark);
  }
  window.addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT" && event.target.type !== "range") return;
    if (event.key === " ") { event.preventDefault(); element("play").click(); }
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") { event.preventDefault(); go(now + (event.key === "ArrowRight" ? 1 : -1) * (event.shiftKey ? 0.5 : 0.02)); }
  });
  canvas.onpointerdown = (event) => canvas.setPointerCapture(event.pointerId);
  canvas.onpointermove = (event) => {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
    if (event.buttons & 2 || event.shiftKey) {
      const k = camera.distance / 900, s = Math.sin(camera.azimuth), c = Math.cos(camera.azimuth);
      follow = element("follow").checked = false;
      camera.focus[0] += k * (event.movementX * s + event.movementY * -c);
      camera.focus[1] += k * (-event.movementX * c + event.movementY * -s);
    } else {
      camera.azimuth -= event.movementX * 0.008;
      camera.elevation = Math.min(Math.max(camera.elevation + event.movementY * 0.006, -0.1), 1.5);
    }
    draw();
  };
  canvas.oncontextmenu = (event) => event.preventDefault();
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); camera.distance = Math.min(Math.max(camera.distance * Math.exp(event.deltaY * 0.001), 0.5), 40); draw(); }, { passive: false });

  // For programs that take pictures: an instant, with the camera where it belongs.
  window.footfall = {
    at: (time) => { now = time; draw(true); return canvas.toDataURL("image/jpeg", 0.93).slice(23); },
    look: (azimuth, elevation, distance) => { Object.assign(camera, { azimuth, elevation, distance }); },
    get now() { return now; },
    get playing() { return playing; },
    get signals() { return [...groups.keys()]; },
  };
  play(head.play);
  show();
  draw(true);
  window.footfall.ready = true;
  let before = performance.now();
  const tick = (moment) => {
    const passed = Math.min((moment - before) / 1000, 0.25);
    before = moment;
    if (playing) {
      now += passed * speed;
      if (now >= head.end) { now = head.loop ? head.begin : head.end; if (!head.loop) play(false); }
      show();
    }
    if (playing || follow) draw();
    window.requestAnimationFrame(tick);
  };
  if (!head.pixels) window.requestAnimationFrame(tick);
})().catch((problem) => {
  const note = document.createElement("p");
  note.textContent = `This page cannot be played: ${problem.message}`;
  note.style.cssText = "padding: 2em; color: #c4322b";
  document.body.prepend(note);
});
