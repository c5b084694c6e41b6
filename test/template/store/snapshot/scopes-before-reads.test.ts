import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import type { Plugin } from '#kernel/plugin'
import { observeStatements } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { Label } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { oldState, snapshotResources } from './resources.ts'

// A hook may wait for another service, and a snapshot holds a connection. So hooks run before the snapshot begins.

const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string, belongsTo }) => [
    id(),
    string('text'),
    string('name').on('shelf'),
    belongsTo('shelf', 'shelves'),
  ],
  countable: true,
  defaultIncludes: () => ['shelf'],
})
const resources = snapshotResources.map(({ file, resource }) => {
  const { declaration } = resource
  if (declaration.type === 'labels') return { file, resource: labels }
  const defaultIncludes = declaration.type === 'boxes' ? ['contents'] : []
  return { file, resource: { ...resource, declaration: { ...declaration, defaultIncludes } } }
})

describe('The scopes of a read with several statements', () => {
  let library: TestApp
  let calls: string[] = []
  let statements = 0
  let fails = false
  let stop = () => {}

  before(async () => {
    stop = observeStatements(() => statements++)
    await emptyLibrary()
    for (const sql of oldState) await (await libraryDatabase()).orm.em.getConnection().execute(sql)
    const plugin: Plugin = {
      name: 'scopes',
      planType({ scope }) {
        scope.push({
          of: 'addressed',
          async condition({ name }) {
            calls.push(`scope of ${name} after ${statements}`)
            if (fails) throw new Error('The scope is not available.')
            return undefined
          },
        })
        scope.push({
          of: 'visible',
          async condition({ name }) {
            calls.push(`visible scope of ${name} after ${statements}`)
            return undefined
          },
        })
      },
    }
    library = await startLibrary({ resources, plugins: [...plugins, plugin] })
  })
  beforeEach(() => {
    fails = false
    calls = []
    statements = 0
  })
  after(async () => {
    stop()
    await library.close()
    await emptyLibrary()
  })

  const cases: readonly (readonly [path: string, addressed: readonly string[], shown: readonly string[]])[] = [
    ['/shelves/1?fields[shelves]=linkedBooks', ['shelves'], ['books']],
    ['/shelves/1?fields[shelves]=books&fields[books]=title&include=books', ['shelves'], ['books']],
    ['/shelves?fields[shelves]=books&withCount=books', [], ['books', 'shelves']],
    ['/shelves?fields[shelves]=label&fields[labels]=text&include=label', [], ['labels', 'shelves']],
    ['/labels?fields[labels]=shelf&include=shelf', [], ['books', 'labels', 'shelves']],
    ['/labels?fields[labels]=text,name&withCount=_self_&include=', [], ['labels', 'shelves']],
    ['/labels?fields[labels]=text,shelf&withCount=_self_&include=', [], ['labels', 'shelves']],
    ['/labels?fields[labels]=text&withCount=_self_&include=', [], ['labels']],
    ['/labels?include=shelf.books', [], ['books', 'labels', 'shelves']],
    ['/shelves/1/books?include=shelf.label', ['shelves'], ['books', 'labels', 'shelves']],
    [
      '/boxes/1/contents?fields[books]=title&fields[labels]=text,name&include=',
      ['boxes'],
      ['books', 'labels', 'shelves'],
    ],
    ['/boxes/1/contents?include=shelf', ['boxes'], ['books', 'labels', 'shelves']],
  ]
  for (const [path, addressed, shown] of cases) {
    it(`are computed once, before the first statement: GET ${path}`, async () => {
      const { status, text } = await library.client.get(path)
      expect(status, text).to.equal(200)
      const types = [...new Set([...addressed, ...shown])]
      expect(calls.sort()).to.deep.equal(
        [
          ...types.map((type) => `scope of ${type} after 0`),
          ...shown.map((type) => `visible scope of ${type} after 0`),
        ].sort(),
      )
    })
  }

  it('are computed when they are needed if the default includes depend on the row', async () => {
    for (const path of ['/labels/1', '/boxes/1']) {
      const { status, body } = await library.client.get(path)
      expect(status).to.equal(200)
      expect(new Set(body.included.map(({ type }: { type: string }) => type))).to.include('shelves')
    }
  })

  it('return an error of a hook as the response of the read', async () => {
    fails = true
    const { status } = await library.client.get('/labels/1?include=shelf')
    expect(status).to.equal(500)
  })
})
