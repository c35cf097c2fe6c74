"use strict";
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const search = document.getElementById("search");
const count = document.getElementById("count");
const menu = document.getElementById("menu");
const phone = matchMedia("(max-width: 52rem)");

// The list is open on wide screens and folded on phones.
const fold = () => { menu.open = !phone.matches; };
fold();
phone.addEventListener("change", fold);
menu.addEventListener("click", (event) => { if (phone.matches && event.target.closest("a")) menu.open = false; });

// Search: names first, then titles and descriptions, then everything else.
const links = new Map(all(".list a").map((link) => [link.hash.slice(1), link.parentElement]));
const lower = (nodes) => nodes.map((node) => node.textContent.toLowerCase()).join("\n");
const entries = all(".entry").map((section) => {
  const name = lower(all("h3", section));
  const about = name + "\n" + lower(all(":scope > .title, :scope > .text", section));
  return { section, item: links.get(section.id), texts: [name, about, about + "\n" + lower(all(".hints, .field, .fields .text, .rules", section))], places: [section, links.get(section.id)]
    .map((node) => [node, node.parentElement]) };
});
const unfolded = new Set();

const rank = (entry, words) => entry.texts.findIndex((text) => words.every((word) => text.includes(word)));

function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const details of unfolded) details.open = false;
  unfolded.clear();
  const ranked = entries.map((entry) => ({ entry, rank: words.length ? rank(entry, words) : 0 }));
  const shown = ranked.filter(({ rank }) => rank >= 0).sort((one, other) => one.rank - other.rank);
  for (const { entry, rank } of ranked) entry.section.hidden = entry.item.hidden = rank < 0;
  for (const { entry } of shown) for (const [node, parent] of entry.places) parent.append(node);
  for (const list of all(".list")) {
    const number = all("li", list).filter((item) => !item.hidden).length;
    list.hidden = number === 0;
    list.querySelector("h2 span").textContent = number;
  }
  for (const server of all("article > .server")) server.hidden = words.length > 0;
  if (words.length) scrollTo(0, 0);
  document.getElementById("nothing").hidden = shown.length > 0;
  count.textContent = words.length ? describe(shown.map(({ rank }) => rank)) : "";
  highlight(words, shown.map(({ entry }) => entry));
}

function describe(ranks) {
  const parts = ["by name", "by description", "by details"]
    .map((what, rank) => [ranks.filter((one) => one === rank).length, what])
    .filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  return `${ranks.length} of ${entries.length}` + (parts.length ? `: ${parts.join(", ")}` : "");
}

function highlight(words, shown) {
  if (!window.Highlight) return;
  const found = new Highlight();
  for (const { section, item } of words.length ? shown : []) {
    for (const root of [section, item]) {
      const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      while (nodes.nextNode() && found.size < 2000) mark(found, nodes.currentNode, words);
    }
  }
  CSS.highlights.set("found", found);
}

function mark(found, node, words) {
  const text = node.data.toLowerCase();
  // Some letters have another length in lower case.
  if (text.length !== node.data.length || node.parentElement.closest("button, .hidden")) return;
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + word.length);
      found.add(range);
      for (let details = node.parentElement.closest("details"); details; details = details.parentElement.closest("details")) {
        if (details.open || details === menu || node.parentElement.closest("summary")?.parentElement === details) continue;
        details.open = true;
        unfolded.add(details);
      }
    }
  }
}

document.getElementById("find").hidden = false;
search.addEventListener("input", find);
search.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { search.value = ""; find(); search.blur(); }
  if (event.key === "Enter") { const link = all(".list a").find((link) => link.offsetParent); if (link) link.click(); }
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input[type=search], textarea, select, [contenteditable]");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  search.focus();
  search.select();
});

// Buttons that copy.
for (const pre of all("pre[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy the ${pre.dataset.copy}`);
  button.addEventListener("click", async () => {
    button.textContent = (await copy(pre.querySelector("code"))) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  pre.append(button);
}

async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    // Without a secure context, such as a page over HTTP, the selection can be copied.
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  }
}

// The menu shows where the reader is.
const inView = new Set();
const observer = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) isIntersecting ? inView.add(target) : inView.delete(target);
  const current = all(".entry").find((section) => inView.has(section));
  for (const [id, item] of links) {
    if (id === current?.id) item.firstElementChild.setAttribute("aria-current", "true");
    else item.firstElementChild.removeAttribute("aria-current");
  }
}, { rootMargin: "-10% 0px -70%" });
for (const { section } of entries) observer.observe(section);

// Everything is unfolded on paper.
let folded = [];
addEventListener("beforeprint", () => {
  folded = all("main details:not([open])");
  for (const details of folded) details.open = true;
});
addEventListener("afterprint", () => { for (const details of folded) details.open = false; });
