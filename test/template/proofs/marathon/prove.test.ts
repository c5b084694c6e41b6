import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { QueryParameter } from '#app/kernel/contract/plugin.ts'
import type { Scope } from '#app/kernel/contract/stages.ts'
import { plugins } from '#app/plugins.ts'
import type { Provider } from '#kernel'
import { type DeclaredResource, mediaType, type Plugin } from '#kernel/plugin'
import { root } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import { withAppUnderTest } from '#test/conformance/app-under-test.ts'
import { prove } from '#test/conformance/prove.ts'
import type { Fault } from '#test/conformance/prover.ts'

// The catalogue keeps all rules; when one is broken on purpose, the proof names the rule and the request.

/** Treats every body as a JSON:API document. */
const ignoringContentType: Plugin = {
  name: 'mutation',
  middleware: () => (ctx, next) => {
    if (ctx.req.headers['content-type']) ctx.req.headers['content-type'] = mediaType
    return next()
  },
}

describe('npm run prove', () => {
  it('prints the number of kept rules of every resource and exits with 0', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'test/conformance/main.ts')], {
      cwd: root,
    })
    expect(stdout).to.match(/^RESOURCE +HELD +FAULTS\n/)
    expect(stdout).to.match(/^albums +[1-9]\d\d+ +0$/m)
    expect(stdout).to.match(/, 0 times it did not, in /)
  })

  const mutations: Readonly<Record<string, Mutation>> = {
    'the check of Content-Type is removed': {
      type: 'albums',
      plugins: [...plugins, ignoringContentType],
      rule: "Content-Type 'application/json' returns 415",
      url: 'POST /albums',
    },
    'a resource is repeated in included': {
      type: 'albums',
      plugins: [...plugins, changing(({ included = [] }) => void included.push(...included.slice(0, 1)))],
      rule: 'no resource is repeated in a document',
      url: 'GET /albums',
    },
    'an unknown include returns 200': {
      type: 'albums',
      plugins: plugins.map((plugin) => (plugin.name === 'includes' ? lenient(plugin) : plugin)),
      rule: 'an undeclared parameter or member returns 400',
      url: 'GET /albums?include=undeclared',
    },
    'a fieldset returns a hidden field': {
      type: 'users',
      plugins: [...plugins, changing(showPassword)],
      rule: 'hidden fields are in no response',
      url: 'GET /admin/users?fields[users]=password',
    },
    'a page link loses a filter': {
      type: 'albums',
      plugins: [...plugins, changing(loseFilters)],
      rule: 'page links keep the query',
      url: 'GET /albums?filter[title]=',
    },
    'a related read returns rows that their own URL hides': {
      type: 'artists',
      plugins: plugins.map((plugin) => (plugin.name === 'authorization' ? scopedAtOwnUrl(plugin) : plugin)),
      rule: 'a related read returns only rows that their own URL returns',
      url: 'GET /artists/1/albums',
    },
    'a computed field runs a statement per row': {
      type: 'artists',
      change: completedPerRow,
      rule: 'the number of statements does not grow with the rows',
      url: 'GET /artists',
    },
  }
  for (const [mutation, { type, rule, url, ...options }] of Object.entries(mutations)) {
    it(`names the rule and the URL when ${mutation}`, async () => {
      const { faults } = await withAppUnderTest(options, (app) => prove(app, [type]))
      const matching = faults.filter((fault) => fault.rule === rule)
      expect(matching.map((fault) => fault.url).join('\n'), faultsText(faults)).to.include(url)
      expect(matching[0]?.message).not.to.equal('')
    })
  }
})

interface Mutation {
  readonly type: string
  readonly rule: string
  readonly url: string
  readonly plugins?: readonly Plugin[]
  readonly change?: (declared: DeclaredResource) => DeclaredResource
}

interface Shown {
  readonly included?: object[]
  readonly links?: Record<string, string>
  readonly data?: unknown
}

/** Changes the document of every 200 response. */
function changing(change: (document: Shown, search: string) => void): Plugin {
  return {
    name: 'mutation',
    middleware: () => async (ctx, next) => {
      await next()
      if (ctx.status !== 200 || ctx.method === 'HEAD' || ctx.response.type !== mediaType) return
      const document = JSON.parse(String(ctx.body)) as Shown
      change(document, decodeURIComponent(ctx.search))
      ctx.body = JSON.stringify(document)
    },
  }
}

function showPassword({ data }: Shown, search: string): void {
  if (!search.includes('fields[users]=password')) return
  for (const row of [data].flat() as { attributes?: object }[])
    row.attributes = { password: 'secret', ...row.attributes }
}

function loseFilters({ links = {} }: Shown): void {
  for (const name of ['first', 'next']) {
    const link = links[name]
    if (link) links[name] = link.replace(/([?&])filter[^&]*&?/, '$1')
  }
}

function lenient(plugin: Plugin): Plugin {
  const include = plugin.parameters?.include as Extract<QueryParameter, { list: unknown }> | undefined
  return {
    ...plugin,
    parameters: {
      include: { list: (value, query, context) => value === 'undeclared' || include?.list(value, query, context) },
    },
  }
}

/** Hides rows only at their own URL. */
function scopedAtOwnUrl(plugin: Plugin): Plugin {
  return {
    ...plugin,
    planType(draft) {
      const scope: Scope[] = []
      plugin.planType?.({ ...draft, scope })
      for (const step of scope) draft.scope.push(step.of === 'addressed' ? notForRelated(step) : step)
    },
  }
}

function notForRelated({ of, condition }: Scope): Scope {
  return {
    of,
    condition: (type, context) => (context.request?.target?.kind === 'related' ? undefined : condition(type, context)),
  }
}

function completedPerRow({ file, resource }: DeclaredResource): DeclaredResource {
  const { provider } = resource.declaration
  if (!provider?.complete) return { file, resource }
  const each: Provider = {
    ...provider,
    async complete(type, records, query, context) {
      for (const record of records) await provider.complete?.(type, [record], query, context)
    },
  }
  return { file, resource: { ...resource, declaration: { ...resource.declaration, provider: each } } }
}

function faultsText(faults: readonly Fault[]): string {
  return faults.map(({ rule, url, message }) => `${url}: ${rule}: ${message}`).join('\n')
}
