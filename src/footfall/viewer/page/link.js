// The connection between a page and the program, beside viser's. What is held is said ten times a second, and who stops
// saying so stops the robot. A worker of its own does so: drawing may take longer than that, and only a page that does
// nothing for a second and a half counts as hung.
"use strict";
const FootfallLink = (() => {
  const PERIOD = 100; // ms between two messages while something is held
  const HUNG = 1500; // ms without a word of the page, after which its worker says nothing either
  // The worker has the connection, and tries again when it is lost.
  const work = (address, PERIOD, HUNG) => {
    let socket = null, held = null, heard = 0, wasHeld = false, again = 250;
    const send = (message) => {
      if (socket && socket.readyState === 1 && socket.bufferedAmount < 65536) socket.send(JSON.stringify(message));
    };
    const say = () => {
      const fresh = held !== null && Date.now() - heard < HUNG;
      const some = fresh && (held.keys.length > 0 || held.stick.some((value) => value !== 0)
        || (held.pad !== null && held.pad.some((value) => value !== 0)) || held.gait.some((value) => value !== 0));
      if (some) send(held); else if (wasHeld) send({ do: "hold" });
      wasHeld = some;
    };
    const connect = () => {
      socket = new WebSocket(address);
      socket.onopen = () => { again = 250; };
      socket.onmessage = (event) => self.postMessage(event.data);
      socket.onclose = () => { self.postMessage(null); setTimeout(connect, again); again = Math.min(2 * again, 4000); };
    };
    self.onmessage = (event) => {
      if (event.data.do === "hold") { held = event.data; heard = Date.now(); say(); } else send(event.data);
    };
    setInterval(say, PERIOD);
    connect();
  };
  const base = location.href.replace(/^http/, "ws").replace(/[?#].*$/, "").replace(/\/?$/, "/");
  const source = `(${work})(${JSON.stringify(base + "panel")}, ${PERIOD}, ${HUNG})`;
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  // Entries of tables and trees say what a click on them tells; the program believes only what it knows.
  document.addEventListener("click", (event) => {
    const node = event.target instanceof Element && event.target.closest("[data-tell]");
    if (node) worker.postMessage(JSON.parse(node.dataset.tell));
  });
  const listeners = {}, latest = {};
  worker.onmessage = (event) => {
    const news = event.data === null ? { kind: "lost" } : JSON.parse(event.data);
    latest[news.kind] = news;
    for (const call of listeners[news.kind] || []) call(news);
  };
  return {
    PERIOD,
    send: (message) => worker.postMessage(message),
    on: (kind, call) => { (listeners[kind] = listeners[kind] || []).push(call); if (latest[kind]) call(latest[kind]); },
    make: (parent, tag, options = {}) => {
      const node = document.createElement(tag);
      for (const [name, value] of Object.entries(options)) {
        if (name === "text") node.textContent = value; else node.setAttribute(name, value);
      }
      parent.appendChild(node);
      return node;
    },
    editing: (target) => target && (target.isContentEditable
      || (["TEXTAREA", "SELECT"].includes(target.tagName)
      || (target.tagName === "INPUT" && target.type !== "range"))),
    ready: (build) => { if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", build); else build(); },
  };
})();
