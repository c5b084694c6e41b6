import { createHash } from 'node:crypto'
import escapeHtml from 'escape-html'

const style = `
:root { color-scheme: light dark }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
h1 small { font-size: 1rem; font-weight: normal; opacity: 0.7 } h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem }
ul { list-style: none; margin: 0; padding: 0; columns: 12rem } li { padding: 0.15rem 0 }
td { padding: 0.15rem 2rem 0.15rem 0; vertical-align: top } code { font: 0.9em ui-monospace, monospace }
body:has(pre) { max-width: 72rem } body:has(pre) h1 { font-size: 1.3rem }
pre { font: 0.85rem/1.5 ui-monospace, monospace; white-space: pre-wrap }
`

/** Allows no script, no request, and only the style of the pages. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A page without scripts. The title is escaped, the body is HTML. */
export function toPage(title: string, body: string): string {
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
<main>
${body}
</main>
</body>
</html>
`
}
