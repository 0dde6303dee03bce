"use strict";
const table = document.getElementById("table");
const cells = [...table.querySelectorAll("tbody.cell")];
const [search, encoding, verdict] = ["search", "encoding", "verdict"]
  .map((id) => document.getElementById(id));
const toggleOf = (cell) => cell.querySelector(".row button");

function open(cell, isOpen) {
  toggleOf(cell).setAttribute("aria-expanded", isOpen);
  cell.querySelector(".detail").hidden = !isOpen;
}

const isOpen = (cell) => toggleOf(cell).getAttribute("aria-expanded") === "true";

// A click anywhere in a row opens it, unless text is being marked.
table.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (row && !String(getSelection())) open(row.parentNode, !isOpen(row.parentNode));
});

// Sort: by the numbers that cells of the table carry, else by their text; blanks stay last.
const heads = [...table.querySelectorAll("thead th[scope=col]")];
const collator = new Intl.Collator("en", { numeric: true });

function valueOf(cell, column) {
  const field = cell.querySelector(".row").children[column];
  return "order" in field.dataset ? Number(field.dataset.order) : field.textContent.trim();
}

function sortBy(column) {
  const head = heads[column];
  const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  heads.forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
  const values = new Map(cells.map((cell) => [cell, valueOf(cell, column)]));
  const compare = (a, b) => {
    const [x, y] = [values.get(a), values.get(b)];
    if (x === "" || y === "") return (x === "") - (y === "");
    return sign * (typeof x === "number" ? x - y : collator.compare(x, y));
  };
  table.append(...cells.slice().sort(compare));
}

heads.forEach((head, column) => {
  head.querySelector("button").addEventListener("click", () => sortBy(column));
});

// Filter: every word that is searched for has to be in the row.
const texts = new Map(cells.map((cell) =>
  [cell, cell.querySelector(".row").textContent.replace(/\s+/g, " ").toLowerCase()]));

const cellsText = document.getElementById("shown").textContent;

function filter() {
  const words = search.value.toLowerCase().split(/\s+/);
  let shown = 0;
  for (const cell of cells) {
    const { encoding: e, verdict: v } = cell.dataset;
    cell.hidden = !((!encoding.value || e === encoding.value) &&
      (!verdict.value || v === verdict.value) && words.every((word) => texts.get(cell).includes(word)));
    shown += !cell.hidden;
  }
  document.getElementById("shown").textContent = shown === cells.length
    ? cellsText : `${shown} of ${cellsText}`;
  document.getElementById("none").hidden = shown > 0;
}

[search, encoding, verdict].forEach((field) => field.addEventListener("input", filter));
document.querySelector(".filters").addEventListener("submit", (event) => event.preventDefault());

const all = document.getElementById("all");
all.addEventListener("click", () => {
  const wanted = all.getAttribute("aria-pressed") !== "true";
  all.setAttribute("aria-pressed", wanted);
  all.textContent = wanted ? "Close all" : "Open all shown";
  cells.forEach((cell) => open(cell, wanted && !cell.hidden));
});

// A link to a cell opens it, also where the filter hides it.
function follow() {
  const cell = document.getElementById(location.hash.slice(1));
  if (!cell || !cell.classList.contains("cell")) return;
  if (cell.hidden) {
    search.value = encoding.value = verdict.value = "";
    filter();
  }
  open(cell, true);
  toggleOf(cell).focus({ preventScroll: true });
  cell.scrollIntoView();
}

addEventListener("hashchange", follow);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#cell-']");
  if (link && link.getAttribute("href") === location.hash) follow();
});
follow();

// The picture is one stop of the Tab key; arrows go from dot to dot.
const dots = [...document.querySelectorAll(".picture a")];
const readout = document.querySelector(".readout");
dots.forEach((dot, i) => {
  dot.tabIndex = i ? -1 : 0;
  const read = () => { readout.textContent = dot.querySelector("title").textContent; };
  dot.addEventListener("pointerenter", read);
  dot.addEventListener("focus", read);
  dot.addEventListener("keydown", (event) => {
    const next = dots[i + ({ ArrowRight: 1, ArrowLeft: -1 }[event.key] || NaN)];
    if (!next) return;
    event.preventDefault();
    dot.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
});

document.querySelectorAll("button.copy").forEach((button) => {
  button.addEventListener("click", async () => {
    const code = button.parentNode.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
    }
  });
});
