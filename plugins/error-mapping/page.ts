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
    app.errorPage = { html: toHtml(errors), codes, server: servers.find(isDefault) ?? null }
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
          ctx.body = request.app.errorPage?.html
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
  readonly html: string
  readonly codes: ReadonlySet<string>
  readonly server: Server | null
}

function isDefault({ name }: Server): boolean {
  return name === 'default'
}

/** Returns null if the Host header of the request was rejected: a link must not repeat it. */
function baseUrl({ baseUri, prefix }: Server, ctx: Koa.Context): string | null {
  if (baseUri) return baseUri
  return ctx.state.isHostChecked ? `${ctx.protocol}://${ctx.host}${prefix}` : null
}

function toHtml(errors: readonly ErrorDefinition[]): string {
  const sorted = errors.toSorted((left, right) => left.code.localeCompare(right.code))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Error codes</title>
<link rel="icon" href="data:,">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 3rem; font-size: 1.1rem } h2 a { color: inherit; text-decoration: none }
:target { background: #fff3c4 } pre, code { font: 0.9em ui-monospace, monospace } pre { background: #f4f4f4; padding: 1rem; overflow: auto }
@media (prefers-color-scheme: dark) { body { background: #111; color: #ddd } pre { background: #222 } :target { background: #543 } }
</style>
</head>
<body>
<h1>Error codes</h1>
<p>The values of the member <code>code</code> of an error. An error without a code is described by its status.</p>
${sorted.map(toSection).join('\n')}
</body>
</html>
`
}

function toSection(definition: ErrorDefinition): string {
  const { code, status, title, documentation } = definition
  return `<h2 id="${escapeHtml(code)}"><a href="#${escapeHtml(code)}"><code>${escapeHtml(code)}</code></a></h2>
<p><strong>${status}</strong> ${toInlineHtml(title)}</p>
<p>${toInlineHtml(documentation?.when ?? '')}</p>
<pre>${escapeHtml(JSON.stringify(createErrorExample(definition), null, 2))}</pre>`
}

/** Escapes HTML, and renders backticks as code. */
function toInlineHtml(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}
