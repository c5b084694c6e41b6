import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import escapeHtml from 'escape-html'
import { markdownFiles } from './files.ts'
import { layout } from './layout.ts'
import { type Page, readPage } from './markdown.ts'
import { readNavigation } from './navigation.ts'
import { linkedFile, renderPage, sitePath } from './render.ts'
import { searchIndex } from './search-index.ts'

const index = 'docs/index.md'

/** Returns the files of the site by path: a page per Markdown file, pages of linked sources and folders, and the search. */
export function buildSite(root: string): Map<string, string> {
  const pages = markdownFiles(root).map((file) => readPage(root, file))
  const titles = new Map(pages.map(({ file, title }) => [file, title]))
  const navigation = navigationOf(root, pages)
  const site = new Map<string, string>()
  const add = (file: string, page: Pick<Page, 'title' | 'headings'>, content: string) => {
    const path = sitePath(root, file)
    site.set(path, layout({ path, title: page.title, headings: page.headings, content, navigation }))
  }
  for (const page of pages) add(page.file, page, renderPage(root, page))
  for (const file of linkedFiles(root, pages)) {
    if (file.endsWith('.svg')) site.set(file, readFileSync(join(root, file), 'utf8'))
    else add(file, { title: file, headings: [] }, contentOf(root, file, titles))
  }
  for (const asset of ['style.css', 'search.js']) {
    site.set(asset, readFileSync(join(import.meta.dirname, 'assets', asset), 'utf8'))
  }
  site.set('search-index.js', `globalThis.searchIndex = ${JSON.stringify(searchIndex(root, pages, navigation))}\n`)
  site.set(
    'index.html',
    '<!doctype html><title>Documentation</title><meta http-equiv="refresh" content="0; url=docs/index.html">\n',
  )
  return site
}

function navigationOf(root: string, pages: readonly Page[]) {
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
function contentOf(root: string, file: string, titles: ReadonlyMap<string, string>): string {
  if (!statSync(join(root, file)).isDirectory()) {
    return `<h1>${file}</h1>\n<pre><code>${escapeHtml(readFileSync(join(root, file), 'utf8'))}</code></pre>`
  }
  const items = readdirSync(join(root, file)).map((name) => {
    const title = titles.get(`${file}/${name}`)
    return title ? `<li><a href="${name.replace(/\.md$/, '.html')}">${escapeHtml(title)}</a></li>` : `<li>${name}</li>`
  })
  return `<h1>${file}</h1>\n<ul>${items.join('\n')}</ul>`
}
