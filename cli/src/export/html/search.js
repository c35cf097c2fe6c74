const search = document.getElementById("search");
const nothing = document.getElementById("nothing");
const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link.parentElement]));
const tools = [...document.querySelectorAll("section")].map((section) => [section, section.textContent.toLowerCase()]);
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const [section, text] of tools) {
    const fits = words.every((word) => text.includes(word));
    section.hidden = !fits;
    links.get(section.id).hidden = !fits;
    found += fits;
  }
  nothing.hidden = found > 0;
});
