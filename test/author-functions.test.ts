import { expect } from 'chai'
import createError from 'http-errors'
import { plugins } from '#app/plugins.ts'
import { type ApiResponse, defineResource } from '#kernel'
import type { Plugin } from '#kernel/plugin'
import { libraryWith } from './specification/library-app.ts'
import type { TestApp } from './support/app.ts'
import { add, expectFailure, resultsOf, sendBatch, update } from './support/batch.ts'
import { Book, Shelf, Tag } from './support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from './support/library/index.ts'
import { statementsOf } from './support/statements.ts'

// How often functions of the author run for one write, and what a batch does with the errors they throw.

describe("An author's functions", () => {
  let library: TestApp
  let calls: string[]
  let check: (name: unknown) => void

  /** Is asked as policies are, and answers some operations before anything is written. */
  const asked: Plugin = {
    name: 'asked',
    appliesTo: (type) => type.name === 'tags',
    async onSubjectLoaded({ input }): Promise<ApiResponse | undefined> {
      const name = input?.attributes?.name
      note('create')
      check(name)
      if (name === 'early') return { kind: 'meta', status: 200, meta: { early: true } }
      return name === 'later' ? { kind: 'none', status: 202 } : undefined
    },
  }
  before(async () => {
    library = await startLibrary({ resources: resourcesOf(note), plugins: [...plugins, asked] })
  })
  beforeEach(async () => {
    calls = []
    check = () => {}
    await emptyLibrary()
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const note = (call: string) => void calls.push(call)
  const tag = (name: string) => add('tags', { name })
  const insertsOf = async (work: () => Promise<unknown>) =>
    (await statementsOf(work)).filter(({ sql }) => /^insert/i.test(sql)).length
  const countTags = async () => {
    const rows = await (await libraryDatabase()).orm.em.getConnection().execute('select count(*)::int as n from tags')
    return rows[0]?.n
  }

  describe('of a single write', () => {
    it('run once when one statement writes the row', async () => {
      const { status } = await library.client.post('/tags', { data: { type: 'tags', attributes: { name: 'red' } } })
      expect(status).to.equal(201)
      expect(calls).to.deep.equal(['create', 'deserialize red', 'generate'])
    })

    it('run once when one statement cannot write the row, on creation and on update', async () => {
      const { body } = await library.client.post('/shelves', { data: { type: 'shelves', attributes } })
      expect(calls).to.deep.equal(['deserialize Fiction', 'fill 2'])
      calls.length = 0
      const { id } = body.data
      const { status } = await library.client.patch(`/shelves/${id}`, { data: { type: 'shelves', id, attributes } })
      expect(status).to.equal(200)
      expect(calls).to.deep.equal(['deserialize Fiction', 'fill 2'])
    })

    it('run once when a related resource is missing', async () => {
      const shelf = { data: { type: 'shelves', id: '4711' } }
      const data = { type: 'books', attributes: { title: 'Emma' }, relationships: { shelf } }
      const { status } = await library.client.post('/books', { data })
      expect(status).to.equal(404)
      expect(calls).to.deep.equal(['deserialize Emma'])
    })
    const attributes = { name: 'Fiction', size: 2 }
  })

  describe('of a batch', () => {
    it('run once per operation when a multi-row insert succeeds', async () => {
      const inserts = await insertsOf(async () => {
        resultsOf(await sendBatch(library.client, [tag('red'), tag('blue')]))
      })
      expect(inserts).to.equal(1)
      expect(calls.toSorted()).to.deep.equal(
        ['create', 'create', 'deserialize blue', 'deserialize red', 'generate', 'generate'].toSorted(),
      )
    })

    it('run once per operation when the multi-row insert fails and the batch falls back to single inserts', async () => {
      const answer = await sendBatch(library.client, [tag('red'), tag('blue'), tag('red')])
      expectFailure(answer, 409, 'CONFLICT', '/atomic:operations/2/data/attributes/name')
      expect(calls.filter((call) => call === 'create')).to.have.length(3)
      expect(calls.filter((call) => call === 'generate')).to.have.length(3)
      expect(calls.filter((call) => call.startsWith('deserialize'))).to.have.length(3)
      expect(await countTags()).to.equal(0)
    })

    it('end it at once with 500 when they have a defect, at the place of the operation', async () => {
      check = (name) => {
        if (name === 'blue') throw new TypeError('A defect.')
      }
      const inserts = await insertsOf(async () => {
        const { status, body } = await sendBatch(library.client, [tag('red'), tag('blue'), tag('green')])
        expect(status).to.equal(500)
        expect(body.errors[0].source).to.deep.equal({ pointer: '/atomic:operations/1' })
      })
      expect(inserts).to.equal(0)
      expect(calls).to.deep.equal(['create', 'create'])
    })

    it('end it at once with 403 when they deny an operation', async () => {
      check = (name) => {
        if (name === 'blue') throw createError(403, 'Denied.')
      }
      const { status, body } = await sendBatch(library.client, [tag('red'), tag('blue')])
      expect(status).to.equal(403)
      expect(body.errors[0].source).to.deep.equal({ pointer: '/atomic:operations/1' })
      expect(calls).to.deep.equal(['create', 'create'])
    })

    it('run once when a value is wrong, which is told at the place of the operation', async () => {
      const inserts = await insertsOf(async () => {
        const answer = await sendBatch(library.client, [tag('red'), tag('forbidden'), tag('green')])
        expectFailure(answer, 422, 'ATTRIBUTE_VALUE_INVALID', '/atomic:operations/1/data/attributes/name')
      })
      expect(inserts).to.equal(0)
      expect(calls.filter((call) => call === 'create')).to.have.length(3)
      expect(calls.filter((call) => call === 'deserialize red')).to.have.length(1)
    })

    it('run once when related resources are missing, which is told at the place of the operation', async () => {
      const shelf = { type: 'shelves', id: '4711' }
      const inserts = await insertsOf(async () => {
        const answer = await sendBatch(library.client, [
          add('books', { title: 'Emma' }),
          add('books', { title: 'Persuasion' }, { shelf }),
        ])
        expectFailure(answer, 404, 'RESOURCE_NOT_FOUND', '/atomic:operations/1/data/relationships/shelf/data')
      })
      expect(inserts).to.equal(0)
      expect(calls.length).to.be.below(3)
    })

    it('of operations before the multi-row insert do not run twice when an operation after it is wrong', async () => {
      const operations = [tag('red'), tag('blue'), update({ type: 'shelves', id: '4711' }, { name: 'x' })]
      const { status, body } = await sendBatch(library.client, operations)
      expect(status).to.equal(404)
      expect(body.errors[0].source.pointer).to.match(/^\/atomic:operations\/2/)
      expect(calls.filter((call) => call === 'create')).to.have.length(2)
    })

    it('that answer early keep their answer, and the others are written by one statement', async () => {
      const inserts = await insertsOf(async () => {
        const { status, body } = await sendBatch(library.client, [tag('red'), tag('early'), tag('blue')])
        expect(status).to.equal(200)
        expect(body['atomic:results'][1]).to.deep.equal({ meta: { early: true } })
      })
      expect(inserts).to.equal(1)
      expect(await countTags()).to.equal(2)
    })

    it('that accept a write for later are refused at the place of the operation', async () => {
      const answer = await sendBatch(library.client, [tag('red'), tag('later')])
      expectFailure(answer, 422, 'ASYNC_WRITE_IN_ATOMIC_OPERATION', '/atomic:operations/1')
    })
  })

  function resourcesOf(say: (call: string) => void) {
    let made = 0
    const deserialize = (value: unknown) => {
      say(`deserialize ${value}`)
      if (value === 'forbidden') throw new Error('Not this one.')
      return value
    }
    const tags = defineResource(Tag, {
      type: 'tags',
      fields: ({ id, string }) => [
        id()
          .uuid()
          .generateUsing(() => {
            say('generate')
            made++
            return `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`
          }),
        string('name').deserializeUsing(deserialize),
      ],
    })
    const shelves = defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, string, integer }) => [
        id(),
        string('name').deserializeUsing(deserialize),
        integer('size')
          .computed()
          .fillUsing((_shelf, value) => say(`fill ${value}`)),
      ],
    })
    const books = defineResource(Book, {
      type: 'books',
      fields: ({ id, string, belongsTo }) => [
        id(),
        string('title').deserializeUsing(deserialize),
        belongsTo('shelf', 'shelves'),
      ],
    })
    return libraryWith(shelves, books, tags)
  }
})
