import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import escapeHtml from 'escape-html'
import { getOrCreate, type Hint } from '#kernel/plugin'
import { type PreparedResponse, prepareResponse } from '../prepared-response.ts'

/** A document of the page; the URL is relative to the page. */
interface DocumentLink {
  readonly name: string
  readonly url: string
}

interface PageContent {
  readonly title: string
  readonly documents: readonly DocumentLink[]
  /** The folder of the assets, relative to the page. */
  readonly folder: string
  /** Origins of other servers that the page may send requests to. */
  readonly origins: readonly string[]
  readonly hints: readonly Hint[]
}

const { resolve } = createRequire(import.meta.url)
const files: Readonly<Record<string, string | URL>> = {
  'swagger-ui.css': resolve('swagger-ui-dist/swagger-ui.css'),
  'swagger-ui-bundle.js': resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  'swagger-ui-standalone-preset.js': resolve('swagger-ui-dist/swagger-ui-standalone-preset.js'),
  'page.css': new URL('./page.css', import.meta.url),
  'start.js': new URL('./start.js', import.meta.url),
}

/** The assets of the page, served by this service. */
export const pageFiles: readonly string[] = Object.keys(files)

const assets = new Map<string, PreparedResponse>()

/** Returns an asset of the page; reads it at the first request. */
export function pageFile(name: string): PreparedResponse {
  const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
  return getOrCreate(assets, name, () =>
    prepareResponse(readFileSync(files[name] as string | URL), `${type}; charset=utf-8`, {
      'X-Content-Type-Options': 'nosniff',
    }),
  )
}

/** Builds the documentation page. */
export function preparePage(content: PageContent): PreparedResponse {
  return prepareResponse(writeHtml(content), 'text/html; charset=utf-8', {
    'Content-Security-Policy': policyFor(content.origins),
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  })
}

/** The Content-Security-Policy: only this service, and data URLs for images. */
function policyFor(origins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...new Set(origins)].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Uses relative URLs, so that the page works behind a proxy with a path prefix. */
function writeHtml({ title, documents, folder, hints }: PageContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}/swagger-ui.css">
<link rel="stylesheet" href="${folder}/page.css">
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${hints.map(toDetails).join('\n')}
<div id="documentation" data-documents="${escapeHtml(JSON.stringify(documents))}"></div>
</main>
<script src="${folder}/swagger-ui-bundle.js"></script>
<script src="${folder}/swagger-ui-standalone-preset.js"></script>
<script src="${folder}/start.js"></script>
</body>
</html>
`
}

function toDetails({ title, text, values }: Hint): string {
  const rows = Object.entries(values).map(
    ([value, meaning]) => `<tr><td><code>${escapeHtml(value)}</code></td><td>${escapeHtml(meaning)}</td></tr>`,
  )
  return `<details class="hints" open>
<summary>${escapeHtml(title)}</summary>
<p>${escapeHtml(text)}</p>
<table>
${rows.join('\n')}
</table>
</details>`
}
