import escapeHtml from 'escape-html'
import type { Hint } from '#kernel/plugin'
import type { Link } from './links.ts'
import { toPage } from './page.ts'
import type { HomePage } from './respond.ts'

export function toHtml({ title, version, types, pages, servers, hints }: HomePage): string {
  return toPage(
    title,
    `<h1>${escapeHtml(title)} <small>${escapeHtml(version)}</small></h1>
<p>A <a href="https://jsonapi.org/format/1.1/">JSON:API 1.1</a> service. Clients that accept <code>application/json</code>
receive these links as JSON.</p>
${toSection('Resources', types)}
${toSection('Documentation and health', pages)}
${toSection('Other servers', servers)}
${hints.map(toHintSection).join('\n')}`,
  )
}

function toSection(title: string, links: readonly Link[]): string {
  if (links.length === 0) return ''
  const items = links.map((link) => `<li><a href="${escapeHtml(link.href)}">${escapeHtml(link.title)}</a></li>`)
  return `<h2>${title}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
}

function toHintSection({ title, text, values }: Hint): string {
  const rows = Object.entries(values).map(
    ([value, meaning]) => `<tr><td><code>${escapeHtml(value)}</code></td><td>${escapeHtml(meaning)}</td></tr>`,
  )
  return `<h2>${escapeHtml(title)}</h2>\n<p>${escapeHtml(text)}</p>\n<table>\n${rows.join('\n')}\n</table>`
}
