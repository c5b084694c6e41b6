import { createHash } from 'node:crypto'
import escapeHtml from 'escape-html'
import type { Hint } from '#kernel/plugin'
import type { Link } from './links.ts'
import type { HomePage } from './respond.ts'

const style = `
:root { color-scheme: light dark }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
h1 small { font-size: 1rem; font-weight: normal; opacity: 0.7 } h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem }
ul { list-style: none; margin: 0; padding: 0; columns: 12rem } li { padding: 0.15rem 0 }
td { padding: 0.15rem 2rem 0.15rem 0; vertical-align: top } code { font: 0.9em ui-monospace, monospace }
`

/** Allows no script, no request, and only the style of the page. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function toHtml({ title, version, types, pages, servers, hints }: HomePage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<h1>${escapeHtml(title)} <small>${escapeHtml(version)}</small></h1>
<p>A <a href="https://jsonapi.org/format/1.1/">JSON:API 1.1</a> service. Clients that accept <code>application/json</code>
receive these links as JSON.</p>
${toSection('Resources', types)}
${toSection('Documentation and health', pages)}
${toSection('Other servers', servers)}
${hints.map(toHintSection).join('\n')}
</body>
</html>
`
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
