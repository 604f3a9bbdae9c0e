// What a walk's page has beside viser's controls: state row, STOP, held keys, stick and gamepad. All text is put in as
// text.
(() => {
  "use strict";
  const { make, send, editing } = FootfallLink;
  const MOTION_KEYS = ["w", "a", "s", "d", "q", "e"];
  const held = new Set();
  let stick = [0, 0], pad = null, gait = [0, 0], latest = null;
  FootfallLink.on("state", (news) => show(news));
  FootfallLink.on("lost", () => { if (latest) show({ ...latest, state: "lost", detail: "no connection to the program; trying again" }); });
  const press = (name) => send({ do: "press", name });

  // Keys. viser moves its camera by the same ones: they are taken before it sees them.
  const PRESSES = { " ": "stop", Enter: "go", Escape: "undo", Backspace: "reset", Delete: "remove", p: "pause", ".": "step" };
  const onKey = (event) => {
    if (editing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const moves = MOTION_KEYS.includes(key);
    if (!moves && !(key in PRESSES)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (moves) {
      if (event.type === "keydown") held.add(key); else held.delete(key);
      showKeys();
      say();
    } else if (event.type === "keydown" && !event.repeat) press(PRESSES[key]);
  };
  window.addEventListener("keydown", onKey, true);
  window.addEventListener("keyup", onKey, true);
  const release = () => { held.clear(); letGo(); showKeys(); say(); };
  window.addEventListener("blur", release);
  document.addEventListener("visibilitychange", () => { if (document.hidden) release(); });

  // What is held.
  const say = () => { readPad(); send({ do: "hold", keys: [...held], stick, pad, gait }); };
  window.setInterval(say, FootfallLink.PERIOD);

  // Gamepad: left stick walks, right stick turns and lifts feet higher, triggers make steps shorter and longer.
  let padName = "", wasPressed = {};
  const quiet = (value) => Math.abs(value) < 0.12 ? 0 : Math.round(value * 20) / 20;
  const readPad = () => {
    const pads = navigator.getGamepads ? [...navigator.getGamepads()].filter((each) => each && each.connected) : [];
    const name = pads.length ? pads[0].id : "";
    if (name !== padName) { padName = name; if (ui.pad) ui.pad.textContent = name ? "Gamepad: " + name.slice(0, 40) : ""; }
    if (!pads.length) { pad = null; gait = [0, 0]; return; }
    const { axes, buttons } = pads[0];
    const button = (k) => buttons[k] ? buttons[k].value : 0;
    pad = [-quiet(axes[1] || 0), -quiet(axes[0] || 0), -quiet(axes[2] || 0)];
    gait = [-quiet(axes[3] || 0), quiet(button(7) - button(6))];
    for (const [k, action] of [[1, "stop"], [8, "reset"], [9, "pause"]]) {
      const down = button(k) > 0.5;
      if (down && !wasPressed[k]) press(action);
      wasPressed[k] = down;
    }
  };

  // What is shown
  const ui = {};
  const build = () => {
    document.body.classList.add("ff-steers");
    const hud = make(document.body, "div", { id: "ff-hud" });
    const top = make(hud, "div", { id: "ff-top", class: "ff-card" });
    const row = make(top, "div", { id: "ff-row" });
    ui.state = make(row, "div", { id: "ff-state", text: "..." });
    ui.detail = make(row, "div", { id: "ff-detail" });
    make(row, "button", { id: "ff-reset", text: "RESET", title: "Backspace: on its feet again, at the start" }).onclick = () => press("reset");
    make(row, "button", { id: "ff-stop", text: "STOP", title: "space" }).onclick = () => { release(); press("stop"); };
    ui.lamps = make(top, "div", { id: "ff-lamps" });
    const controls = make(top, "div", { id: "ff-controls" });
    ui.pause = make(controls, "button", { id: "ff-pause", text: "Pause", title: "P" });
    ui.pause.onclick = () => press("pause");
    ui.step = make(controls, "button", { id: "ff-step", text: "Step", title: ". : one control period while it pauses" });
    ui.step.onclick = () => press("step");
    make(controls, "span", { class: "ff-label", text: "time" });
    ui.speeds = ["0.1", "0.25", "0.5", "1"].map((value) => {
      const button = make(controls, "button", { text: value + "x", "data-speed": value });
      button.onclick = () => send({ do: "speed", value: Number(value) });
      return button;
    });
    make(controls, "span", { class: "ff-label ff-plans", text: "mouse" });
    ui.tools = [["goal", "Goal", "click the ground: walk there; drag the arrow for the heading"], ["box", "Box", "click the ground: a box appears there"]]
      .map(([name, text, title]) => {
        const button = make(controls, "button", { text, title, class: "ff-plans", "data-tool": name });
        button.onclick = () => send({ do: "tool", name });
        return button;
      });
    ui.clock = make(controls, "span", { id: "ff-clock" });
    ui.message = make(hud, "div", { id: "ff-message", class: "ff-card" });
    buildStick(hud);
    const drive = make(hud, "div", { id: "ff-drive", class: "ff-card" });
    ui.velocity = make(drive, "b", { text: "Held: 0.00 m/s ahead, 0.00 left, 0.00 rad/s" });
    ui.keys = make(drive, "div", { id: "ff-keys" });
    const lines = [[["w", "s"], "ahead, back"], [["a", "d"], "left, right"], [["q", "e"], "turn"], [["space"], "stop"],
      [["p"], "pause"], [["."], "step"], [["enter"], "walk the plan"], [["esc"], "undo"], [["del"], "remove the box"], [["\u232b"], "reset"]];
    for (const [keys, text] of lines) {
      const group = make(ui.keys, "span", { class: ["enter", "esc", "del"].includes(keys[0]) ? "ff-plans" : "" });
      for (const key of keys) { make(group, "kbd", { text: key.toUpperCase(), "data-key": key }); group.append(" "); }
      group.append(text + "  ");
    }
    ui.pad = make(drive, "div", { id: "ff-pad" });
    make(drive, "div", { class: "ff-plans", text: "Drag the robot to pull it, boxes to move them." });
    if (latest) show(latest);
  };
  const showKeys = () => {
    for (const node of document.querySelectorAll("#ff-keys kbd")) node.classList.toggle("down", held.has(node.dataset.key));
  };
  let knob = null;
  const letGo = () => { stick = [0, 0]; if (knob) knob.style.transform = ""; };
  const buildStick = (hud) => {
    const base = make(hud, "div", { id: "ff-stick", title: "up: ahead, to the sides: turn" });
    base.insertAdjacentHTML("beforeend", '<svg viewBox="0 0 176 176"><g fill="none" stroke="#b8c0ca" stroke-width="2">' +
      '<circle cx="88" cy="88" r="84"/><path d="M88 12 l-9 12 h18z M88 164 l-9 -12 h18z M12 88 l12 -9 v18z M164 88 l-12 -9 v18z"/></g></svg>');
    knob = make(base, "div", { id: "ff-knob" });
    const move = (event) => {
      const box = base.getBoundingClientRect();
      let x = event.clientX - box.x - box.width / 2, y = event.clientY - box.y - box.height / 2;
      const far = Math.max(Math.hypot(x, y) / 60, 1);
      x /= far; y /= far;
      knob.style.transform = `translate(${x}px, ${y}px)`;
      stick = [Math.round(-y / 3) / 20, Math.round(-x / 3) / 20];
    };
    base.onpointerdown = (event) => { base.setPointerCapture(event.pointerId); move(event); say(); };
    base.onpointermove = (event) => { if (base.hasPointerCapture(event.pointerId)) move(event); };
    base.onpointerup = base.onpointercancel = () => { letGo(); say(); };
  };
  const show = (news) => {
    latest = news;
    if (!ui.state) return;
    document.body.classList.toggle("ff-no-plans", Boolean(news.no_plans)); // a policy has nothing to plan or to drag
    ui.state.textContent = news.state;
    ui.state.className = news.state;
    ui.detail.textContent = news.detail;
    ui.clock.textContent = news.clock;
    ui.velocity.textContent = "Held: " + news.velocity;
    ui.pause.classList.toggle("on", news.paused);
    ui.pause.textContent = news.paused ? "Go on" : "Pause";
    for (const button of ui.speeds) button.classList.toggle("on", Number(button.dataset.speed) === news.speed);
    for (const button of ui.tools) button.classList.toggle("on", button.dataset.tool === news.tool);
    const lamps = JSON.stringify(news.lamps);
    if (ui.lamps.dataset.shown !== lamps) {
      ui.lamps.dataset.shown = lamps;
      ui.lamps.replaceChildren();
      for (const [name, level, text] of news.lamps) {
        const lamp = make(ui.lamps, "span", { class: "ff-lamp " + level, title: text });
        make(lamp, "i");
        make(lamp, "span", { text: text ? name + ": " + text : name });
      }
    }
    const message = JSON.stringify(news.message);
    if (ui.message.dataset.shown !== message) {
      ui.message.dataset.shown = message;
      ui.message.replaceChildren();
      ui.message.className = "ff-card " + news.message.kind;
      ui.message.style.display = news.message.text ? "" : "none";
      make(ui.message, "div", { text: news.message.text });
      const row = make(ui.message, "div", { class: "ff-buttons" });
      for (const [name, text] of news.message.buttons) {
        make(row, "button", { text, class: "ff-" + name, "data-press": name }).onclick = () => press(name);
      }
    }
  };

  FootfallLink.ready(build);
})();
