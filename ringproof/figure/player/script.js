"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const MOTION = 520, PAUSE = 1150;
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const { N, slots, steps, names, contents, focus } = data;
  const place = (rank, slot) => rank * slots + slot;

  // What every slot holds after every step, and which sends wrote it.
  const states = [data.start];
  const writes = data.start.map(() => []);
  data.sends.forEach((sends, step) => {
    const next = states[step].slice();
    for (const send of sends) {
      const cell = place(send[2], send[3]);
      next[cell] = send[6];
      const last = writes[cell].at(-1);
      if (last && last.step === step) last.sends.push(send);
      else writes[cell].push({ step, rank: send[2], slot: send[3], sends: [send], after: send[6] });
    }
    states.push(next);
  });
  const holds = (rank, slot, t) => contents[states[t][place(rank, slot)]];
  const total = (content) => content[0].reduce((a, b) => a + b, 0);

  // ---- words --------------------------------------------------------------------------------
  const listed = (a) => (a.length < 2 ? a.join("") : `${a.slice(0, -1).join(", ")} and ${a.at(-1)}`);
  // 0, 4, 5, 6, 7 is said as: 0 and 4 to 7.
  const runs = (a) => {
    const found = [];
    for (const n of a) {
      const last = found.at(-1);
      if (last && last[1] === n - 1) last[1] = n;
      else found.push([n, n]);
    }
    return found.flatMap(([low, high]) => (high - low > 1 ? [`${low} to ${high}`] : high > low ? [low, high] : [low]));
  };
  const ranksOf = (a) => (a.length === 1 ? `rank ${a[0]}` : `ranks ${listed(runs(a))}`);
  const inIt = (content) => content[0].flatMap((times, rank) => (times ? [rank] : []));
  const plural = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

  function parts(content) {
    const ranks = inIt(content);
    if (!ranks.length) return "nothing yet";
    const twice = content[0].flatMap((n, rank) => (n > 1 ? [`rank ${rank}'s part ${n} times`] : []));
    const more = content[4].length ? `; parts of ${listed(content[4].map((c) => names[c]))} are mixed in` : "";
    const said = content[3]
      ? (data.parts > 1 ? `${data.full}, every part once` : `${data.full}, from ${ranksOf(ranks)}`)
      : `${ranks.length === 1 ? "the part" : "the parts"} of ${ranksOf(ranks)}`;
    return said + (twice.length ? `; ${listed(twice)}` : "") + more;
  }

  function writer(rank, slot, t) {
    const all = writes[place(rank, slot)];
    for (let i = all.length - 1; i >= 0; i -= 1) if (all[i].step < t) return all[i];
    return null;
  }

  // Everything that led to what a slot holds: where parts started, and every write since, in order.
  function history(rank, slot, t) {
    const seen = new Map(), starts = new Set(), todo = [[rank, slot, t]];
    while (todo.length) {
      const [r, s, when] = todo.pop();
      const write = writer(r, s, when);
      if (!write) {
        if (total(holds(r, s, 0))) starts.add(r);
        continue;
      }
      const key = `${write.step} ${r} ${s}`;
      if (seen.has(key)) continue;
      seen.set(key, write);
      for (const send of write.sends) todo.push([send[0], send[1], write.step]);
      if (write.sends.some((send) => send[4])) todo.push([r, s, write.step]);
    }
    const order = [...seen.values()].sort((a, b) => a.step - b.step || a.rank - b.rank || a.slot - b.slot);
    return { starts: [...starts].sort((a, b) => a - b), order };
  }

  function told(write) {
    const [sender, chunk, receiver, into, adds] = write.sends[0];
    const same = write.sends.every((send) => send[1] === chunk);
    const what = same ? names[chunk] : "chunks";
    const slot = same && into === chunk ? "" : ` into ${names[into]}`;
    if (write.sends.length === 1 && sender === receiver)
      return `rank ${sender} ${adds ? "adds" : "moves"} its ${what}${slot}`;
    const who = [...new Set(write.sends.map((send) => send[0]))].sort((a, b) => a - b);
    const sends = who.length > 1 ? `${ranksOf(who)} send` : `rank ${who[0]} sends`;
    return `${sends} ${what} to rank ${receiver}, which ${adds ? "adds it" : "overwrites"}${slot}`;
  }

  const items = (found) => [
    ...(found.starts.length
      ? [["start", found.starts.length === 1
        ? `rank ${found.starts[0]} has its own part`
        : `${ranksOf(found.starts)} have their own parts`, null]]
      : []),
    ...found.order.map((write) => [`step ${write.step}`, told(write), contents[write.after]]),
  ];

  function onwards(rank, slot, t) {
    if (t === steps) return "";
    const to = data.sends[t].filter((send) => send[0] === rank && send[1] === slot);
    const from = data.sends[t].filter((send) => send[2] === rank && send[3] === slot && send[0] !== rank);
    const said = [];
    for (const adds of [1, 0]) {
      const away = to.filter((send) => send[2] !== rank && send[4] === adds).map((send) => send[2]).sort((a, b) => a - b);
      const verb = away.length > 1 ? (adds ? "add it" : "overwrite their own") : adds ? "adds it" : "overwrites its own";
      if (away.length) said.push(`it is sent to ${ranksOf(away)}, which ${verb}`);
    }
    for (const send of to) if (send[2] === rank) said.push(`it is ${send[4] ? "added" : "moved"} into ${names[send[3]]}`);
    const givers = from.map((send) => send[0]).sort((a, b) => a - b);
    if (from.length)
      said.push(`${ranksOf(givers)} ${from.length > 1 ? "send" : "sends"} what is ${from[0][4] ? "added here" : "put here"}`);
    return said.length ? `Now, in step ${t}, ${said.join("; ")}.` : `Step ${t} leaves it as it is.`;
  }

  const element = (name, text, kind) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  // ---- cells --------------------------------------------------------------------------------
  const grid = at("grid"), board = at("board"), lineage = at("lineage"), which = at("which");
  const cells = [...grid.querySelectorAll("td.cell")];
  const heads = [...grid.querySelectorAll("tbody th")];
  const where = new Map(cells.map((cell, i) => [cell, i]));
  let t = 0, focused = -1, hovered = -1, flight = 0, timer = 0, home = 0;

  const remembers = (rank, slot, when) =>
    focus.lines.some(([r, s, a, b]) => r === rank && s === slot && a <= when && when <= b);
  const spoiled = (rank, slot, when) =>
    focus.cell && focus.cell[0] === when && focus.cell[1] === rank && focus.cell[2] === slot;

  function kindOf(content, rank, slot, when) {
    if (!focus) return `k${content[1]}`;
    if (spoiled(rank, slot, when)) return "viol";
    return remembers(rank, slot, when) ? "past" : "grey";
  }

  const squares = (counts, wanted) => counts.map((n, r) => (wanted(n) ? `M${r} 0h1v1h-1z` : "")).join("");

  function paint(cell, i, sending) {
    const rank = Math.floor(i / slots), slot = i % slots;
    const content = holds(rank, slot, t), empty = !total(content);
    const kind = kindOf(content, rank, slot, t);
    const more = (empty ? " unset" : "") + (content[3] && !focus ? " whole" : "") + (sending.has(i) ? " out" : "");
    cell.className = `cell ${kind}${more}`;
    cell.querySelector("b").textContent = empty ? "" : names[content[2]];
    cell.querySelector(".in").setAttribute("d", squares(content[0], (n) => n === 1));
    cell.querySelector(".twice").setAttribute("d", squares(content[0], (n) => n > 1));
    cell.querySelector(".vh").textContent = `${names[slot]} on rank ${rank}: ${parts(content)}`;
    const tag = cell.querySelector(".tag");
    if (tag) tag.remove();
    if (kind === "viol" && focus.tag) cell.append(element("span", focus.tag, "tag"));
  }

  function ask() {
    const i = hovered >= 0 ? hovered : focused;
    for (const cell of cells) {
      delete cell.dataset.when;
      cell.classList.remove("here");
    }
    for (const head of heads) head.classList.remove("part");
    grid.classList.toggle("asked", i >= 0);
    if (i < 0) {
      light(null);
      return;
    }
    const rank = Math.floor(i / slots), slot = i % slots, content = holds(rank, slot, t);
    const found = history(rank, slot, t), label = total(content) ? names[content[2]] : "";
    cells[i].classList.add("here");
    inIt(content).forEach((r) => heads[r].classList.add("part"));
    const color = getComputedStyle(cells[i]).getPropertyValue("--c");
    grid.style.setProperty("--mark", color);
    lineage.style.setProperty("--mark", color);
    mark(found, i);
    which.textContent = `${names[slot]} on rank ${rank}, ${t === steps ? "at the end" : t ? `after ${plural(t, "step")}` : "at the start"}`;
    const list = element("ol");
    for (const [when, text, after] of items(found)) {
      const item = element("li");
      item.append(element("b", when), `: ${text}${after ? `: ${parts(after)}` : ""}`);
      list.append(item);
    }
    const held = inIt(content).length, missing = content[0].flatMap((n, r) => (n ? [] : [r]));
    const lack = !content[3] && held && data.parts > 1 && missing.length
      ? ` (${held} of ${data.parts}; ${ranksOf(missing)} ${missing.length > 1 ? "are" : "is"} missing)` : "";
    const other = label && label !== names[slot] ? ` of ${label}` : "";
    lineage.replaceChildren(
      element("p", `It holds ${parts(content)}${other}${lack}.`, "is"), list, element("p", onwards(rank, slot, t), "next"));
    light((send) => (send[0] === rank && send[1] === slot) || (send[2] === rank && send[3] === slot));
  }

  // On every cell that the parts went through, the steps in which they came there.
  function mark(found, asked) {
    const steps_ = new Map();
    for (const { rank, slot, step } of found.order) {
      const cell = place(rank, slot);
      steps_.set(cell, [...(steps_.get(cell) || []), step]);
    }
    for (const [cell, when] of steps_) cells[cell].dataset.when = when.length > 2 ? `${when[0]}-${when.at(-1)}` : when.join(",");
    for (const { sends } of found.order)
      for (const send of sends) {
        const cell = place(send[0], send[1]);
        if (!steps_.has(cell) && cell !== asked) cells[cell].dataset.when = "start";
      }
  }

  // ---- arrows -------------------------------------------------------------------------------
  const arrows = at("arrows"), flying = at("flying");
  let drawn = [];
  const draw = (name, attributes) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const sameColumn = (send) => send[1] === send[3] && send[0] !== send[2] && !send[7] && Math.abs(send[0] - send[2]) > 1;

  // Sends down the same gutter get lanes of their own; one sender's sends share theirs.
  function lanes(sends) {
    const found = new Map(), columns = new Map();
    const spans = new Map();
    for (const send of sends.filter(sameColumn)) {
      const key = place(send[0], send[1]);
      const span = spans.get(key) || { key, slot: send[1], low: send[0], high: send[0] };
      span.low = Math.min(span.low, send[2]);
      span.high = Math.max(span.high, send[2]);
      spans.set(key, span);
    }
    for (const span of [...spans.values()].sort((a, b) => a.low - b.low || b.high - a.high)) {
      const used = columns.get(span.slot) || [];
      let lane = used.findIndex((end) => end < span.low);
      if (lane < 0) lane = used.length;
      used[lane] = span.high;
      columns.set(span.slot, used);
      found.set(span.key, lane);
    }
    return { found, most: Math.max(0, ...[...columns.values()].map((used) => used.length)) };
  }
  const byStep = data.sends.map(lanes);
  const widest = Math.max(0, ...byStep.map((found) => found.most));
  const LANE = widest > 5 ? 5.5 : 7;
  board.style.setProperty("--gap", `${widest ? 20 + LANE * widest : 14}px`);

  function boxes() {
    const base = board.getBoundingClientRect();
    return cells.map((cell) => {
      const box = cell.getBoundingClientRect();
      const left = box.left - base.left, top = box.top - base.top;
      return { left, top, right: left + box.width, bottom: top + box.height, x: left + box.width / 2, y: top + box.height / 2 };
    });
  }

  // The way of one send: an SVG path, and the direction in which its head points.
  function route(send, all, lane, shift, edge) {
    const [sender, chunk, receiver, into, , , , seam] = send;
    const from = all[place(sender, chunk)], to = all[place(receiver, into)];
    const down = seam ? seam > 0 : receiver > sender, sign = down ? 1 : -1;
    const x = from.x + shift, out = down ? from.bottom : from.top, tip = down ? to.top : to.bottom;
    if (seam) {
      const leave = down ? edge.bottom : edge.top, enter = down ? edge.top : edge.bottom;
      return { d: `M${x} ${out}V${leave}M${to.x + shift} ${enter}V${tip - sign * 8}`, x: to.x + shift, y: tip, dx: 0, dy: sign };
    }
    if (sender === receiver) {
      const side = to.x >= from.x ? 1 : -1, high = from.top - 13;
      return { d: `M${from.x + side * 6} ${from.top}C${from.x + side * 6} ${high} ${to.x - side * 6} ${high} ${to.x - side * 6} ${to.top - 8}`,
        x: to.x - side * 6, y: to.top, dx: 0, dy: 1 };
    }
    if (chunk !== into)
      return { d: `M${x} ${out}C${x} ${out + sign * 40} ${to.x + shift} ${tip - sign * 48} ${to.x + shift} ${tip - sign * 8}`, x: to.x + shift, y: tip, dx: 0, dy: sign };
    if (lane === undefined) return { d: `M${x} ${out}V${tip - sign * 8}`, x, y: tip, dx: 0, dy: sign };
    const gutter = from.right + 13 + lane * LANE, off = from.y + 7, on = to.y - 7;
    const turn = sign * 5;
    return { d: `M${from.right} ${off}H${gutter - 5}Q${gutter} ${off} ${gutter} ${off + turn}V${on - turn}Q${gutter} ${on} ${gutter - 5} ${on}H${to.right + 8}`,
      x: to.right, y: on, dx: -1, dy: 0 };
  }

  function arrow(send, index, way) {
    const [, chunk, , , adds, whole] = send;
    const carried = holds(send[0], chunk, t);
    let kind = `k${carried[1]}`;
    if (focus) {
      const here = ([step, number]) => step === t && number === index;
      kind = focus.at && here(focus.at) ? "viol" : focus.events.some(here) ? "past" : "grey";
    }
    const group = draw("g", { class: `send ${kind}`, "data-send": index });
    group.append(draw("path", { class: whole ? "line double" : "line", d: way.d }));
    if (whole) group.append(draw("path", { class: "core", d: way.d }));
    const { x, y, dx, dy } = way;
    const back = (l, w) => `${x - dx * l - dy * w} ${y - dy * l + dx * w}`;
    group.append(draw("path", { class: adds ? "head" : "head hollow", d: `M${x - dx} ${y - dy}L${back(9, 4.6)}L${back(9, -4.6)}Z` }));
    return { group, send, d: way.d, kind, label: names[carried[2]] };
  }

  function connect() {
    drawn = [];
    arrows.replaceChildren();
    if (t === steps) return;
    const all = boxes(), sends = data.sends[t];
    const edge = { top: all[0].top - 15, bottom: all.at(-1).bottom + 15 };
    const both = new Set(sends.map((send) => `${send[0]} ${send[1]} ${send[2]} ${send[3]}`));
    const ends = boxes_edges(all);
    if (sends.some((send) => send[7]))
      for (const y of [edge.top, edge.bottom]) arrows.append(draw("path", { class: "seam", d: `M${ends[0]} ${y}H${ends[1]}` }));
    drawn = sends.map((send, index) => {
      const back = both.has(`${send[2]} ${send[3]} ${send[0]} ${send[1]}`);
      const shift = back ? (send[2] > send[0] ? -9 : 9) : 0;
      const lane = sameColumn(send) ? byStep[t].found.get(place(send[0], send[1])) : undefined;
      return arrow(send, index, route(send, all, lane, shift, edge));
    });
    const later = drawn.filter(({ kind }) => kind === "past" || kind === "viol");
    arrows.append(...drawn.filter((one) => !later.includes(one)).map(({ group }) => group), ...later.map(({ group }) => group));
  }
  const boxes_edges = (all) => [Math.min(...all.map((b) => b.left)), Math.max(...all.map((b) => b.right))];

  function light(wanted) {
    const lines = at("sends").tBodies[0].rows;
    drawn.forEach(({ group, send }, index) => {
      const hot = wanted && wanted(send);
      group.classList.toggle("dim", Boolean(wanted) && !hot);
      if (lines[index]) lines[index].classList.toggle("hot", Boolean(hot));
    });
  }

  // ---- a step -------------------------------------------------------------------------------
  const slider = at("slider"), rows = [...document.querySelectorAll(".steps tbody tr")];
  const phaseAt = (step) => data.phases.findIndex(({ start, stop }) => start <= step && step < stop);

  function sentences() {
    const phase = data.phases[phaseAt(t)];
    const end = `The end, after ${plural(steps, "step")}`, named = phase ? `, ${phase.name}` : "";
    at("when").textContent = t === steps ? end : `Step ${t}${named}`;
    const told_ = focus && focus.at && focus.at[0] === t ? ` Here it goes wrong: ${focus.title.toLowerCase()}.` : "";
    // Two steps may do the same: the number makes a live region speak again.
    const said = t === steps ? end : `Step ${t} of ${steps}${named}`;
    at("sentence").replaceChildren(element("span", `${said}. `, "vh"), `${data.said[t]}${told_}`);
    slider.value = String(t);
    slider.setAttribute("aria-valuetext", said);
    document.querySelectorAll(".phases span").forEach((span, i) => span.classList.toggle("at", i === phaseAt(t)));
    rows.forEach((row, i) => {
      row.classList.toggle("at", i === t);
      if (i === t) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    });
    for (const [id, off] of [["first", t === 0], ["back", t === 0], ["on", t === steps], ["last", t === steps]]) at(id).disabled = off;
  }

  function table() {
    const body = at("sends").tBodies[0];
    at("moves").textContent = t === steps ? "No sends: the end" : `Sends of step ${t}`;
    body.replaceChildren(...(data.sends[t] || []).map((send) => {
      const [sender, chunk, receiver, into, adds] = send, carried = holds(sender, chunk, t);
      const line = element("tr"), what = element("td");
      what.append(element("span", "", `swatch ${focus ? "grey" : `k${carried[1]}`}`), names[chunk] + (into === chunk ? "" : ` into ${names[into]}`));
      const does = sender === receiver ? (adds ? "adds, no message" : "moves, no message") : adds ? "adds" : "overwrites";
      const short = carried[3] ? data.full : parts(carried).replace(/^the /, "");
      line.append(element("td", sender), element("td", receiver), what, element("td", short), element("td", does));
      return line;
    }));
  }

  function render() {
    const sending = new Set((data.sends[t] || []).map((send) => place(send[0], send[1])));
    cells.forEach((cell, i) => paint(cell, i, sending));
    sentences();
    table();
    connect();
    ask();
  }

  function land() {
    cancelAnimationFrame(flight);
    flight = 0;
    flying.replaceChildren();
    board.classList.remove("moving");
  }

  // Chips go along the lines; when they are there, the step is done.
  function fly(then) {
    const chips = drawn.map(({ d, kind, label }) => {
      const way = draw("path", { d }), chip = draw("g", { class: kind }), wide = 12 + 7 * label.length;
      const text = draw("text", {});
      text.textContent = label;
      chip.append(draw("rect", { x: -wide / 2, y: -9, width: wide, height: 18, rx: 5 }), text);
      flying.append(chip);
      return { way, chip, length: way.getTotalLength() };
    });
    board.classList.add("moving");
    const began = performance.now();
    const frame = (now) => {
      const share = Math.min(1, Math.max(0, now - began) / MOTION);
      const eased = share < 0.5 ? 2 * share * share : 1 - 2 * (1 - share) * (1 - share);
      for (const { way, chip, length } of chips) {
        const point = way.getPointAtLength(eased * length);
        chip.setAttribute("transform", `translate(${point.x} ${point.y})`);
      }
      if (share < 1) flight = requestAnimationFrame(frame);
      else {
        land();
        then();
      }
    };
    flight = requestAnimationFrame(frame);
  }

  function show(wanted) {
    land();
    t = Math.min(steps, Math.max(0, wanted));
    render();
    clearTimeout(home);
    home = setTimeout(() => history_(t), 150);
  }
  const history_ = (step) => {
    if (location.hash !== `#t=${step}`) window.history.replaceState(null, "", `#t=${step}`);
  };

  function forward() {
    if (flight) {  // still under way: be there at once, then go on
      land();
      show(t + 1);
    }
    if (t === steps) return;
    if (calm.matches || !drawn.length) show(t + 1);
    else {
      const next = t + 1;
      fly(() => show(next));
    }
  }

  // ---- playing ------------------------------------------------------------------------------
  function stop() {
    clearTimeout(timer);
    timer = 0;
    at("play").setAttribute("aria-pressed", "false");
    at("play").setAttribute("aria-label", "Play");
  }
  function tick() {
    if (t >= steps && !flight) {
      stop();
      return;
    }
    forward();
    timer = setTimeout(tick, PAUSE);
  }
  function play() {
    if (timer) {
      stop();
      return;
    }
    if (t === steps) show(0);
    at("play").setAttribute("aria-pressed", "true");
    at("play").setAttribute("aria-label", "Pause");
    timer = setTimeout(tick, 250);
  }

  const go = (step) => {
    stop();
    show(step);
  };
  const on = () => {
    stop();
    forward();
  };
  at("first").addEventListener("click", () => go(0));
  at("back").addEventListener("click", () => go(t - 1));
  at("on").addEventListener("click", on);
  at("last").addEventListener("click", () => go(steps));
  at("play").addEventListener("click", play);
  slider.addEventListener("input", () => go(Number(slider.value)));

  const linked = () => {
    const found = /^#t=(\d{1,6})$/.exec(location.hash);
    return found ? Number(found[1]) : null;
  };
  addEventListener("hashchange", () => {
    const step = linked();
    if (step !== null && step !== t) go(step);
  });

  // ---- keys ---------------------------------------------------------------------------------
  function inGrid(key, i) {
    const rank = Math.floor(i / slots), slot = i % slots;
    const to = {
      ArrowLeft: [rank, Math.max(0, slot - 1)], ArrowRight: [rank, Math.min(slots - 1, slot + 1)],
      ArrowUp: [Math.max(0, rank - 1), slot], ArrowDown: [Math.min(N - 1, rank + 1), slot],
      Home: [rank, 0], End: [rank, slots - 1],
    }[key];
    if (to) cells[place(...to)].focus();
    else if (key === "PageDown") on();
    else if (key === "PageUp") go(t - 1);
    else if (key === "Escape") slider.focus();
    else return false;
    return true;
  }
  const anywhere = {
    ArrowRight: on, ArrowLeft: () => go(t - 1), Home: () => go(0), End: () => go(steps), PageDown: on, PageUp: () => go(t - 1), " ": play,
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const target = event.target, cell = where.get(target);
    const busy = target.closest && target.closest("button, a") && event.key === " ";
    let used = false;
    if (cell !== undefined) used = inGrid(event.key, cell);
    if (!used && !busy && cell === undefined && anywhere[event.key]) {
      anywhere[event.key]();
      used = true;
    }
    if (used) event.preventDefault();
  });

  cells.forEach((cell, i) => {
    cell.setAttribute("tabindex", i ? "-1" : "0");
    cell.setAttribute("aria-describedby", "lineage");
    cell.addEventListener("focus", () => {
      focused = i;
      hovered = -1;
      cells.forEach((other, k) => other.setAttribute("tabindex", k === i ? "0" : "-1"));
      ask();
    });
    cell.addEventListener("blur", () => {
      focused = -1;
      ask();
    });
    cell.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "touch") return;
      hovered = i;
      ask();
    });
  });
  board.addEventListener("pointerleave", () => {
    hovered = -1;
    ask();
  });
  // The words stand beside the cells where both fit, else below them.
  const stage = document.querySelector(".stage"), scroller = board.parentElement;
  function fit() {
    document.body.classList.remove("stacked");
    const narrow = stage.clientWidth < 860 || scroller.scrollWidth > scroller.clientWidth + 1;
    document.body.classList.toggle("stacked", narrow);
  }
  let fitted = 0;
  new ResizeObserver(() => {
    if (stage.clientWidth === fitted || flight) return;
    fitted = stage.clientWidth;
    fit();
    connect();
    ask();
  }).observe(stage);
  document.querySelectorAll(".controls, .beside, .keys").forEach((part) => { part.hidden = false; });
  t = Math.min(steps, linked() ?? (focus && focus.at ? focus.at[0] : focus && focus.cell ? Math.min(focus.cell[0], steps) : 0));
  fit();
  render();
})();
