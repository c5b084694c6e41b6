import { expect } from 'chai'
import { declaredResources } from '#app/resources.ts'
import { discover } from '#discovery'
import type { App, DeclaredResource } from '#kernel/plugin'
import { root } from '#test/support/app.ts'
import { buildApp } from '#test/support/catalogue.ts'
import { withDependents } from '#test/template/support/plugins.ts'
import { shippedPlugins } from '#test/template/support/shipped.ts'
import { withoutNeeds } from '#test/template/support/without-needs.ts'
import { describeApp } from '../index.ts'

// A disabled plugin leaves nothing in the OpenAPI document of the catalogue.

/** Texts in the document that only this plugin adds. */
const words: Readonly<Record<string, readonly string[]>> = {
  'request-log': ['"X-Request-Id"'],
  'error-mapping': ['"Content-Language"'],
  'sparse-fieldsets': ['"fields['],
  includes: ['"name":"include"', '"included"'],
  sorting: ['"name":"sort"'],
  pagination: ['"name":"page"', '"PaginationLinks"', '"PageMeta"', '"CursorMeta"', '"after"'],
  countable: ['"withCount"'],
  'relationship-queries': ['"relatedQuery"'],
  filtering: ['"filter['],
  authorization: ['"security":[]'],
  validation: ['"maxLength"', '"AlbumStatus"', '"required":["title"]'],
  responses: ['"202"', '"The write has succeeded."'],
  'async-writes': ['"202"', '"303"', '"Content-Location"'],
  'conditional-requests': ['"ETag"', '"If-Match"', '"If-None-Match"', '"304"', '"412"'],
  'http-headers': ['"Cache-Control"', '"Sunset"', '"deprecated":true'],
  'bearer-auth': ['"securitySchemes"', '"bearer"'],
  idempotency: ['"Idempotency-Key"', '"Idempotency-Replayed"'],
  actions: ['-actions/', '"action.albums.reissue"'],
  'soft-delete': ['"filter[trashed]"', '"trashed"', '"action.playlists.restore"'],
  atomic: ['"/operations"', '"atomic:operations"', 'AtomicAdd'],
}

/**
 * Plugins without a text of their own: no type issues API keys, no listener is described, schema validation and rate limits
 * are disabled, and other causes of 503 exist.
 */
const withoutTexts = ['api-keys', 'lifecycle', 'schema-validation', 'rate-limit', 'load-shedding']

describe('The OpenAPI document', () => {
  let declared: readonly DeclaredResource[]
  let whole: string
  before(async () => {
    declared = await declaredResources(await discover(root))
    whole = await describeAsText(await buildApp())
  })

  for (const { name, errors = [], parameters = {}, profiles = [], extensions = [] } of shippedPlugins) {
    if (name === 'openapi') continue
    it(`contains no text of ${name} when it is disabled`, async () => {
      const removed = withDependents(name)
      const without = await describeAsText(
        await buildApp({ disabled: removed, resources: withoutNeeds(declared, removed) }),
      )
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
    it(`contains the texts of ${name} when it is enabled`, () => {
      for (const word of words[name] ?? []) expect(whole.includes(word), word).to.equal(true)
    })
  }

  it('is checked for every plugin that implements describe', () => {
    const describing = shippedPlugins.filter(({ describe, name }) => describe && !withoutTexts.includes(name))
    expect(Object.keys(words)).to.have.members(describing.map(({ name }) => name))
  })
})

async function describeAsText(app: App): Promise<string> {
  const text = JSON.stringify([...describeApp(app, {}).values()])
  await app.close()
  return text
}
