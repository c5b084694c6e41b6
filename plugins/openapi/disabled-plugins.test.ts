import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { declaredResources } from '#app/resources.ts'
import { discover } from '#discovery'
import type { App, DeclaredResource, NeedsPlugin } from '#kernel/plugin'
import { root } from '#test/support/app.ts'
import { buildApp } from '#test/support/catalogue.ts'
import { withDependents } from '#test/support/plugins.ts'
import { describeApp } from './index.ts'

// What a plugin that is off leaves in the document of the catalogue: nothing.

/** Words in the document that are some plugin's only. */
const words: Readonly<Record<string, readonly string[]>> = {
  'request-log': ['"X-Request-Id"'],
  'error-mapping': ['"Content-Language"'],
  'sparse-fieldsets': ['"fields['],
  includes: ['"name":"include"', '"included"'],
  sorting: ['"name":"sort"'],
  pagination: ['"name":"page"', '"PaginationLinks"', '"PageMeta"'],
  'cursor-profile': ['"CursorMeta"', '"after"'],
  countable: ['"withCount"'],
  'relationship-queries': ['"relatedQuery"'],
  filtering: ['"filter['],
  authorization: ['"security":[]'],
  validation: ['"maxLength"', '"AlbumsStatusEnum"', '"required":["title"]'],
  responses: ['"202"', '"It is done."'],
  'async-writes': ['"202"', '"303"', '"Content-Location"'],
  'http-headers': ['"Cache-Control"', '"Sunset"', '"deprecated":true'],
  'bearer-auth': ['"securitySchemes"', '"bearer"'],
  atomic: ['"/operations"', '"atomic:operations"', 'AtomicAdd'],
}

/**
 * Plugins without a part of their own in the document of the catalogue: no listener is described, documents are not
 * validated, no rate limit is set, and 503 has other causes too.
 */
const quiet = ['lifecycle', 'schema-validation', 'rate-limit', 'load-shedding']

describe('The document without a plugin', () => {
  let declared: readonly DeclaredResource[]
  let whole: string
  before(async () => {
    declared = await declaredResources(await discover(root))
    whole = await textOf(await buildApp())
  })

  for (const { name, errors = [], parameters = {}, profiles = [], extensions = [] } of plugins) {
    if (name === 'openapi') continue
    it(`shows no trace of ${name}`, async () => {
      const removed = withDependents(name)
      const without = await textOf(await buildApp({ disabled: removed, resources: withoutNeedOf(removed) }))
      const own = [
        ...(words[name] ?? []),
        ...errors.map(({ code }) => `\`${code}\``),
        ...Object.keys(parameters).map((family) => `"name":"${family}"`),
        ...profiles,
        ...extensions,
      ]
      for (const word of own) expect(without.includes(word), word).to.equal(false)
    })

    if (!words[name]) continue
    it(`is without something that ${name} says`, () => {
      for (const word of words[name] ?? []) expect(whole.includes(word), word).to.equal(true)
    })
  }

  it('is checked for every plugin that describes a part of it', () => {
    const describing = plugins.filter(({ describe, name }) => describe && !quiet.includes(name))
    expect(Object.keys(words)).to.have.members(describing.map(({ name }) => name))
  })

  /** The catalogue without the declared values that only these plugins understand. */
  function withoutNeedOf(names: readonly string[]): DeclaredResource[] {
    const isKept = (value: unknown) =>
      [value].flat().every((one) => !names.includes((one as Partial<NeedsPlugin> | null)?.needsPlugin ?? ''))
    return declared.map(({ file, resource }) => {
      const kept = Object.entries(resource.declaration).filter(([, value]) => isKept(value))
      return { file, resource: { ...resource, declaration: Object.fromEntries(kept) as typeof resource.declaration } }
    })
  }
})

async function textOf(app: App): Promise<string> {
  const text = JSON.stringify([...describeApp(app, {}).values()])
  await app.close()
  return text
}
