import { createHash } from 'node:crypto'
import escapeHtml from 'escape-html'
import type Koa from 'koa'
import { createErrorExample, type ErrorDefinition, type ErrorObject } from '#kernel/errors'
import type { App, Exchange, Route, Server } from '#kernel/plugin'

declare module '#kernel/plugin' {
  interface App {
    /** The page of all error codes. */
    errorPage?: Page
  }
}

/** HTML page of all error codes on the default server. Every error of the catalogue links to its entry. */
export class ErrorPage {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  create(app: App): void {
    const { errors, servers } = app
    const codes = new Set(errors.map(({ code }) => code))
    let entries: readonly Entry[] | undefined
    const readEntries = () => {
      entries ??= errors.toSorted((left, right) => left.code.localeCompare(right.code)).map(toEntry)
      return entries
    }
    app.errorPage = { readEntries, codes, server: servers.find(isDefault) ?? null }
  }

  routes(server: Server): Route[] {
    if (!isDefault(server)) return []
    return [
      {
        name: 'jsonapi.errors',
        methods: ['GET', 'HEAD'],
        path: this.#path,
        title: 'Error codes',
        handle: (ctx, request) => {
          ctx.type = 'html'
          ctx.set('Content-Security-Policy', contentSecurityPolicy)
          ctx.body = toHtml(
            request.app.errorPage?.readEntries() ?? [],
            String(ctx.query.search ?? '').slice(0, maxSearch),
          )
          return undefined
        },
      },
    ]
  }

  link(error: ErrorObject, { app, ctx }: Exchange): ErrorObject {
    const { codes, server } = app.errorPage ?? {}
    if (!server || error.code === undefined || !codes?.has(error.code)) return error
    const base = baseUrl(server, ctx)
    return base === null ? error : { ...error, links: { type: `${base}${this.#path}#${error.code}`, ...error.links } }
  }
}

interface Page {
  /** Returns the entries, which the first call writes: a tenth of the time in which an application is created. */
  readEntries(): readonly Entry[]
  readonly codes: ReadonlySet<string>
  readonly server: Server | null
}

interface Entry {
  readonly code: string
  /** The status and the words that a search finds, in lower case. */
  readonly text: string
  readonly html: string
}

function isDefault({ name }: Server): boolean {
  return name === 'default'
}

/** Returns null if the Host header of the request was rejected: a link must not repeat it. */
function baseUrl({ baseUri, prefix }: Server, ctx: Koa.Context): string | null {
  if (baseUri) return baseUri
  return ctx.state.isHostChecked ? `${ctx.protocol}://${ctx.host}${prefix}` : null
}

/** Characters of a search that are read. */
const maxSearch = 100

const style = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
::placeholder { color: inherit; opacity: 0.8 }
form { display: flex; gap: 0.5rem; margin: 1.5rem 0 } input { flex: 1; min-width: 0 } input, button { font: inherit; padding: 0.4rem 0.7rem }
nav ul { list-style: none; margin: 0; padding: 0; columns: 17rem; font-size: 0.9rem }
article { margin-top: 3rem } h2 { font-size: 1.1rem } h2 a { color: inherit; text-decoration: none }
:target { background: #fff3c4 } pre, code { font: 0.9em ui-monospace, monospace } pre { background: #f4f4f4; padding: 1rem; overflow: auto }
@media (prefers-color-scheme: dark) { pre { background: #222 } :target { background: #543 } }
`

/** Allows no script, and sends the form only to the page itself. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** A page of the errors that contain each word of a search. */
function toHtml(entries: readonly Entry[], search: string): string {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = entries.filter(({ text }) => words.every((word) => text.includes(word)))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Error codes</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>Error codes</h1>
<p>The values of the member <code>code</code> of an error. An error without a code is described by its status.</p>
<form role="search" action="?">
<input type="search" name="search" value="${escapeHtml(search)}" maxlength="${maxSearch}" aria-label="Search" placeholder="A code, a status or words">
<button>Search</button>
</form>
<nav aria-label="Codes">
<p>${words.length === 0 ? `${entries.length} codes` : `${found.length} of ${entries.length} codes; <a href="?">all</a>`}</p>
<ul>
${found.map(({ code }) => `<li><a href="#${escapeHtml(code)}">${escapeHtml(code)}</a></li>`).join('\n')}
</ul>
</nav>
${found.map(({ html }) => html).join('\n')}
</main>
</body>
</html>
`
}

function toEntry(definition: ErrorDefinition): Entry {
  const { status, title, documentation } = definition
  const code = escapeHtml(definition.code)
  const when = documentation?.when ?? ''
  return {
    code: definition.code,
    text: `${status} ${definition.code} ${title} ${when}`.toLowerCase(),
    html: `<article>
<h2 id="${code}"><a href="#${code}"><code>${code}</code></a></h2>
<p><strong>${status}</strong> ${toInlineHtml(title)}</p>
<p>${toInlineHtml(when)}</p>
<pre tabindex="0" role="group" aria-label="Example of ${code}">${escapeHtml(JSON.stringify(createErrorExample(definition), null, 2))}</pre>
</article>`,
  }
}

/** Escapes HTML, and renders backticks as code. */
function toInlineHtml(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}
