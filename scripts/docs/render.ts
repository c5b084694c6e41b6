import { statSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import escapeHtml from 'escape-html'
import { Marked, Renderer, type Token } from 'marked'
import type { Page } from './markdown.ts'

/** The path of a file of the project in the site. Markdown becomes HTML, other linked files are shown on a page. */
export function sitePath(root: string, file: string): string {
  if (file.endsWith('.svg')) return file
  if (statSync(join(root, file), { throwIfNoEntry: false })?.isDirectory()) return join(file, 'index.html')
  return file.endsWith('.md') ? file.replace(/\.md$/, '.html') : `${file}.html`
}

/** Returns the file that a link of a page leads to; null for other sites and for headings of the same page. */
export function linkedFile(from: string, link: string): string | null {
  const [path = ''] = link.split('#')
  return path === '' || /^[a-z][a-z0-9+.-]*:/i.test(link) ? null : normalize(join(dirname(from), decodeURI(path)))
}

/** Converts a link between files of the project to a link between pages of the site. */
function siteLink(root: string, from: string, link: string): string {
  const file = linkedFile(from, link)
  if (file === null) return link
  const [, anchor] = link.split('#')
  const path = relative(dirname(from), sitePath(root, file.replace(/\/$/, '')))
  return anchor === undefined ? path : `${path}#${anchor}`
}

export function renderPage(root: string, page: Page): string {
  const headings = new Map(page.headings.map((heading) => [heading.token, heading]))
  const renderer = new Renderer()
  renderer.heading = function (token) {
    const { anchor = '' } = headings.get(token as Token) ?? {}
    const text = this.parser.parseInline(token.tokens)
    return `<h${token.depth} id="${anchor}">${text} <a class="anchor" href="#${anchor}" aria-label="Link to this heading">#</a></h${token.depth}>\n`
  }
  renderer.link = function ({ href, tokens }) {
    return `<a href="${escapeHtml(siteLink(root, page.file, href))}">${this.parser.parseInline(tokens)}</a>`
  }
  renderer.code = function (token) {
    return Renderer.prototype.code.call(this, token).replace('<pre>', '<pre tabindex="0">')
  }
  renderer.table = function (token) {
    return `<div class="table" tabindex="0" role="region" aria-label="Table">${Renderer.prototype.table.call(this, token)}</div>`
  }
  return new Marked({ renderer }).parser([...page.tokens])
}
