import { dirname, relative } from 'node:path'
import escapeHtml from 'escape-html'
import type { Heading } from './markdown.ts'

export interface Layout {
  /** The path of the page in the site. */
  readonly path: string
  readonly title: string
  /** The name of the site. */
  readonly name: string
  /** The path of the site on its host, without a slash at the end. */
  readonly hostPath: string
  readonly headings: readonly Heading[]
  readonly content: string
  /** The sections of the navigation; paths in the site. */
  readonly navigation: readonly {
    readonly title: string
    readonly links: readonly { readonly title: string; readonly path: string }[]
  }[]
}

/** The page that is shown for other paths, of any depth: its links begin with the path of the site on its host. */
export const notFoundPath = '404.html'

/** Returns the HTML of a page: search, navigation, content and the headings of the page. */
export function layout({ path, title, name, headings, content, navigation, hostPath }: Layout): string {
  const base = path === notFoundPath ? hostPath : relative(dirname(path), '') || '.'
  const sections = navigation.map(({ title, links }) => {
    const items = links.map((link) => {
      const current = link.path === path ? ' aria-current="page"' : ''
      return `<li><a href="${base}/${link.path}"${current}>${escapeHtml(link.title)}</a></li>`
    })
    return `<h2>${escapeHtml(title)}</h2>\n<ul>${items.join('')}</ul>`
  })
  return `<!doctype html>
<html lang="en" data-base="${base}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title === name ? name : `${title} – ${name}`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/style.css">
<script src="${base}/search.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="${base}/docs/index.html">${escapeHtml(name)}</a>
<a class="menu" href="#navigation">Menu</a>
<div class="search" role="search">
<input id="search" type="search" placeholder="Search  ( / )" aria-label="Search" role="combobox" aria-expanded="false" aria-controls="results" autocomplete="off">
<ul id="results" role="listbox" aria-label="Results" hidden></ul>
</div>
</header>
<div class="columns">
<main id="content" tabindex="-1">
${content}
</main>
${toContents(headings)}<nav id="navigation" aria-label="Pages">
${sections.join('\n')}
</nav>
</div>
</body>
</html>
`
}

function toContents(headings: readonly Heading[]): string {
  const items = headings.filter(({ depth }) => depth === 2)
  if (items.length < 2) return ''
  const list = items.map(({ text, anchor }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`)
  return `<aside aria-label="On this page"><h2>On this page</h2><ul>${list.join('')}</ul></aside>\n`
}
