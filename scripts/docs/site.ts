import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import escapeHtml from 'escape-html'
import { markdownFiles } from './files.ts'
import { layout, notFoundPath } from './layout.ts'
import { type Page, readPage } from './markdown.ts'
import { readNavigation } from './navigation.ts'
import { linkedFile, renderPage, sitePath } from './render.ts'
import { searchIndex } from './search-index.ts'

const index = 'docs/index.md'

/**
 * Returns the files of the site by path: a page per Markdown file, pages of linked sources and folders, and the search.
 * `hostPath` is the path of the site on its host, without a slash at the end.
 */
export function buildSite(root: string, hostPath = ''): Map<string, string> {
  const pages = markdownFiles(root).map((file) => readPage(root, file))
  const titles = new Map(pages.map(({ file, title }) => [file, title]))
  const navigation = buildNavigation(root, pages)
  const name = titles.get(index) ?? 'Documentation'
  const site = new Map<string, string>()
  const addPage = (path: string, { title, headings }: Pick<Page, 'title' | 'headings'>, content: string) => {
    site.set(path, layout({ path, title, name, headings, content, navigation, hostPath }))
  }
  const add = (file: string, page: Pick<Page, 'title' | 'headings'>, content: string) => {
    addPage(sitePath(root, file), page, content)
  }
  for (const page of pages) add(page.file, page, renderPage(root, page))
  addPage(notFoundPath, { title: 'Page not found', headings: [] }, notFound(hostPath))
  for (const file of linkedFiles(root, pages)) {
    if (file.endsWith('.svg')) site.set(file, readFileSync(join(root, file), 'utf8'))
    else add(file, { title: file, headings: [] }, renderSource(root, file, titles))
  }
  for (const asset of ['style.css', 'search.js']) {
    site.set(asset, readFileSync(join(import.meta.dirname, 'assets', asset), 'utf8'))
  }
  site.set('search-index.js', `globalThis.searchIndex = ${JSON.stringify(searchIndex(root, pages, navigation))}\n`)
  site.set(
    'index.html',
    '<!doctype html><html lang="en"><title>Documentation</title><meta http-equiv="refresh" content="0; url=docs/index.html">\n',
  )
  return site
}

function notFound(hostPath: string): string {
  return `<h1>Page not found</h1>
<p>There is no page at this address. Search above, or begin at <a href="${hostPath}/docs/index.html">the first page</a>.</p>`
}

function buildNavigation(root: string, pages: readonly Page[]) {
  const page = pages.find(({ file }) => file === index)
  if (!page) throw new Error(`${index} is missing: it is the navigation of the site.`)
  return readNavigation(page).map(({ title, links }) => ({
    title,
    links: links.flatMap(({ title, href }) => {
      const file = linkedFile(index, href)
      return file === null ? [] : [{ title, path: sitePath(root, file.replace(/\/$/, '')) }]
    }),
  }))
}

/** The files and folders that pages link to, other than pages; a folder with an index is its index. */
function linkedFiles(root: string, pages: readonly Page[]): Set<string> {
  const files = pages.flatMap(({ file, links }) => links.flatMap((link) => linkedFile(file, link) ?? []))
  const paths = files.map((file) => file.replace(/\/$/, ''))
  return new Set(
    paths.filter(
      (file) => !file.endsWith('.md') && existsSync(join(root, file)) && !existsSync(join(root, file, 'index.md')),
    ),
  )
}

/** The text of a source, or the pages of a folder. */
function renderSource(root: string, file: string, titles: ReadonlyMap<string, string>): string {
  if (!statSync(join(root, file)).isDirectory()) {
    return `<h1>${file}</h1>\n<pre tabindex="0"><code>${escapeHtml(readFileSync(join(root, file), 'utf8'))}</code></pre>`
  }
  const items = readdirSync(join(root, file)).map((name) => {
    const title = titles.get(`${file}/${name}`)
    return title ? `<li><a href="${name.replace(/\.md$/, '.html')}">${escapeHtml(title)}</a></li>` : `<li>${name}</li>`
  })
  return `<h1>${file}</h1>\n<ul>${items.join('\n')}</ul>`
}
