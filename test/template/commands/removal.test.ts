import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { declaredResources } from '#app/resources.ts'
import { discover, unlistedPlugins } from '#discovery'
import { defineResource } from '#kernel'
import { BootError, buildRoutePath, type Field, type Plugin } from '#kernel/plugin'
import { Artist } from '#resources/artists/entity.ts'
import { buildApp, root, startApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { clientMistakes } from '#test/template/support/client-mistakes.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { withDependents } from '#test/template/support/plugins.ts'
import { modifierNames, withoutNeeds } from '#test/template/support/without-needs.ts'

// Disables every plugin in both ways. test/template/structure/copies.test.ts deletes plugins from a copy of the project.

const declared = await declaredResources(await discover(root))

const ways: Readonly<Record<string, (names: readonly string[]) => Promise<TestAppOptions>>> = {
  'named in DISABLED_PLUGINS': async (names) => ({ disabled: names }),
  'left out of the list': async (names) => {
    const list = plugins.filter(({ name }) => !names.includes(name))
    return { plugins: list, unlisted: await unlistedPlugins(root, list) }
  },
}

/** The members of demo resources that change their meaning without a plugin. */
const needs: Readonly<Record<string, readonly string[]>> = {
  'error-mapping': ['playlists.exceptions'],
  authorization: ['albums.policy', 'playlists.policy'],
  validation: ['albums.title', 'playlists.orderedTracks.position', 'releases.format.rpm', 'users.email'],
  lifecycle: [
    'catalog-exports.beforeDelete',
    'catalog-exports.afterDelete',
    'playlists.beforeCreate',
    'playlists.beforeDelete',
  ],
  'async-writes': ['catalog-exports.create', 'catalog-exports.job'],
  'soft-delete': ['playlists.softDeletes'],
}

describe('With every plugin', () => {
  it('no word of a resource is inert', async () => {
    expect(inertWords(await catalogue())).to.deep.equal([])
  })
})

for (const plugin of plugins) {
  const removed = withDependents(plugin.name)
  const dependents = plugins.filter(({ requires }) => requires?.includes(plugin.name)).map(({ name }) => name)

  describe(`Without ${removed.join(' and ')}`, () => {
    for (const dependent of dependents) {
      it(`the application does not start while ${dependent}, which requires it, is enabled`, async () => {
        expect(await refusal({ disabled: [plugin.name] })).to.include(
          `Plugin '${dependent}' needs '${plugin.name}': disable both, or neither.`,
        )
        const others = plugins.filter(({ name }) => name !== plugin.name)
        expect(await refusal({ plugins: others })).to.include(
          `Plugin '${dependent}' needs '${plugin.name}' above it in app/plugins.ts.`,
        )
      })
    }

    for (const [way, options] of Object.entries(ways)) {
      for (const member of needs[plugin.name] ?? []) {
        it(`${way}, the application does not start, and names ${member}`, async () => {
          const faults = await refusal(await options(removed))
          expect(faults.find((fault) => fault.startsWith(`${member} (`))).to.match(
            new RegExp(`needs the plugin '${plugin.name}', which is off; without it .+ would be ignored\\.$`),
          )
          for (const fault of faults) expect(fault).to.include("needs the plugin '")
        })
      }

      describe(way, () => {
        let running: TestApp
        before(async () => {
          running = await startApp({ ...(await options(removed)), resources: withoutNeeds(declared, removed) })
        })
        after(() => running.close())

        for (const family of Object.keys(plugin.parameters ?? {})) {
          it(`the query parameter ${family} is a 400`, async () => {
            const { status, body } = await running.client.get(`/albums?${family}=title`)
            expect(status).to.equal(400)
            expect(body.errors).to.have.length(1)
            expect(body.errors[0]).to.include({ code: 'QUERY_PARAM_UNRECOGNIZED' })
            expect(body.errors[0].source).to.deep.equal({ parameter: family })
          })
        }

        if (plugin.routes) {
          it('its URLs are 404s without a document', async () => {
            for (const [method, path] of listRoutes(plugin, running)) {
              const { status, body } = await running.client.send(method, path, method === 'POST' ? { body: {} } : {})
              expect(status, path).to.equal(404)
              expect(body, path).to.equal(null)
            }
          })
        }

        it('its profiles, extensions and errors do not exist', () => {
          const { app } = running
          expect(app.plugins.map(({ name }) => name)).not.to.include(plugin.name)
          for (const profile of plugin.profiles ?? [])
            expect(app.servers.flatMap(({ profiles }) => profiles)).not.to.include(profile)
          for (const extension of plugin.extensions ?? []) {
            expect(app.plugins.flatMap(({ extensions }) => extensions ?? [])).not.to.include(extension)
          }
          const codes = app.errors.map(({ code }) => code)
          for (const { code } of plugin.errors ?? []) expect(codes).not.to.include(code)
        })

        it('its words are accepted and inert, and no other word is inert', () => {
          const words = plugins.filter(({ name }) => removed.includes(name)).flatMap(modifierNames)
          for (const word of inertWords(running)) expect(words).to.include(word)
        })

        // Both ways start an application with the same plugins, so that requests to one of them are enough.
        if (way === 'named in DISABLED_PLUGINS') {
          it('albums, artists and tracks can be listed, shown, created, updated and deleted', async () => {
            await useThreeTypes(running.client)
          })

          it('no mistake of a client is a 500', async () => {
            for (const { method, path, ...init } of clientMistakes) {
              const { status, text } = await running.client.send(method, path, init)
              expect(status, `${method} ${path} ${JSON.stringify(init).slice(0, 200)} ${text}`).to.be.below(500)
            }
          })
        }
      })
    }
  })
}

describe('The declarations for a disabled plugin', () => {
  let running: TestApp | null = null
  afterEach(async () => {
    await running?.close()
    running = null
  })
  const start = async (options: TestAppOptions) => {
    running = await startApp(options)
    return running.client
  }
  const artists = (declaration: Partial<Parameters<typeof defineResource<Artist>>[1]> = {}) => [
    {
      file: 'resources/artists/resource.ts',
      resource: defineResource(Artist, {
        type: 'artists',
        fields: ({ id, string }) => [
          id(),
          string('name').required().maxLength(10),
          string('slug'),
          string('bio').sparseByDefault(),
        ],
        ...declaration,
      }),
    },
  ]

  it('hide no attribute without sparse-fieldsets', async () => {
    const client = await start({ disabled: withDependents('sparse-fieldsets'), resources: artists() })
    const { body } = await client.get('/artists/1')
    expect(body.data.attributes).to.have.property('bio')
  })

  it('include nothing without includes', async () => {
    const client = await start({ disabled: withDependents('includes') })
    const { body } = await client.get('/albums')
    expect(body).not.to.have.property('included')
  })

  it('do not sort without sorting', async () => {
    const resources = artists({ defaultSort: ['-slug'], sorts: { slug: 'slug' } })
    const ids = async (client: Client) => (await client.get('/artists')).body.data.map(({ id }: { id: string }) => id)
    expect(await ids(await start({ disabled: withDependents('sorting'), resources }))).to.deep.equal(['1', '2'])
    await running?.close()
    expect(
      await ids(await start({ resources: artists({ defaultSort: ['slug'], sorts: { slug: 'slug' } }) })),
    ).to.deep.equal(['2', '1'])
  })

  it('do not paginate without pagination', async () => {
    const client = await start({ disabled: withDependents('pagination') })
    const { body } = await client.get('/albums/1/tracks?filter[explicit]=')
    expect(body.data).to.have.length(3)
    expect(body.meta).to.deep.equal({ total: 3 })
  })

  it('page by cursor, and apply no profile, without cursor-profile', async () => {
    running = await startLibrary({ disabled: withDependents('cursor-profile') })
    const { body, headers } = await running.client.get('/books')
    expect(headers.get('content-type')).to.equal('application/vnd.api+json')
    expect(body.meta.page).to.have.property('hasMore')
  })

  it('without validation, accept rules that the database enforces as well', async () => {
    const resources = [
      {
        file: 'resources/artists/resource.ts',
        resource: defineResource(Artist, {
          type: 'artists',
          fields: ({ id, string }) => [id(), string('name').maxLength(255), string('slug'), string('bio').nullable()],
        }),
      },
    ]
    const client = await start({ disabled: withDependents('validation'), resources })
    const post = (attributes: object) => client.post('/artists', { data: { type: 'artists', attributes } })
    expect((await post({ name: 'Short', slug: 'short', bio: null })).status).to.equal(201)
    expect((await post({ name: 'x'.repeat(256), slug: 'long' })).status).to.equal(422)
    expect((await post({ name: null, slug: 'null' })).status).to.equal(422)
    expect((await post({ slug: 'nameless' })).status).to.equal(422)
  })

  it('still return error documents without error-mapping', async () => {
    const disabled = ['error-mapping']
    const client = await start({ disabled, resources: withoutNeeds(declared, disabled) })
    expect((await client.get('/albums/99')).body.errors[0].code).to.equal('RESOURCE_NOT_FOUND')
    const { status, body, headers } = await client.send('PUT', '/albums/1')
    expect(status).to.equal(405)
    expect(body.errors).to.deep.equal([{ status: '405' }])
    expect(headers.get('allow')).to.equal('GET, HEAD, PATCH, DELETE, OPTIONS')
  })
})

/** The sentences of the error with which the application refuses to start. */
async function refusal(options: TestAppOptions): Promise<string[]> {
  const error = await buildApp(options).then(
    () => new Error('It started.'),
    (error: Error) => error,
  )
  expect(error).to.be.instanceOf(BootError)
  return error.message.split('\n')
}

function listRoutes(plugin: Plugin, { app }: TestApp): (readonly [method: string, path: string])[] {
  return app.servers.flatMap((server) =>
    (plugin.routes?.(server) ?? []).flatMap((route) =>
      route.methods.map((method) => [method, buildRoutePath(server, route)] as const),
    ),
  )
}

function inertWords({ app }: TestApp): string[] {
  const fields = [...app.registry.types.values()].flatMap(({ attributes, relations }) => [...attributes, ...relations])
  const inert = (field: Field): string[] => {
    if (field.role === 'id') return []
    return [
      ...field.ignoredModifiers.map(({ name }) => name),
      ...(field.role === 'attribute' ? field.children.flatMap(inert) : []),
    ]
  }
  return fields.flatMap(inert)
}

async function useThreeTypes(client: Client): Promise<void> {
  for (const [type, attributes] of Object.entries({
    artists: { name: 'Massive Attack', slug: 'massive-attack' },
    albums: { title: 'Mezzanine' },
    tracks: { title: 'Angel' },
  })) {
    const list = await client.get(`/${type}`)
    expect(list.status, `GET /${type}`).to.equal(200)
    expect(list.body.data, `GET /${type}`).not.to.be.empty
    expect((await client.get(`/${type}/1`)).status, `GET /${type}/1`).to.equal(200)
    const created = await client.post(`/${type}`, { data: { type, attributes } })
    expect(created.status, `POST /${type}`).to.equal(201)
    const { id } = created.body.data
    const changed = await client.patch(`/${type}/${id}`, { data: { type, id, attributes } })
    expect(changed.status, `PATCH /${type}/${id}`).to.equal(200)
    expect((await client.delete(`/${type}/${id}`)).status, `DELETE /${type}/${id}`).to.equal(204)
    expect((await client.get(`/${type}/${id}`)).status, `GET /${type}/${id}`).to.equal(404)
  }
}
