import { Collection, raw } from '@mikro-orm/core'
import { expect } from 'chai'
import createError from 'http-errors'
import { plugins } from '#app/plugins.ts'
import { type ApiResponse, defineResource } from '#kernel'
import type { Operation, Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { add, expectFailure, readResults, sendBatch, update } from '#test/support/batch.ts'
import { statementsOf } from '#test/support/statements.ts'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// How often the functions of a declaration run in one write, and how a batch handles the errors that they throw.

describe('Functions of a declaration in a write', () => {
  let library: TestApp
  let calls: string[]
  let check: (name: unknown) => void

  /** Runs where policies run, and responds to some operations before anything is written. */
  const subjectHook: Plugin = {
    name: 'subject-hook',
    plan({ type, check: steps }) {
      if (type?.name === 'tags') steps.push(answerEarly)
    },
  }
  const answerEarly = async ({ input }: Operation): Promise<ApiResponse | undefined> => {
    const name = input?.attributes?.name
    record('create')
    check(name)
    if (name === 'early') return { kind: 'meta', status: 200, meta: { early: true } }
    return name === 'later' ? { kind: 'none', status: 202 } : undefined
  }
  before(async () => {
    library = await startLibrary({ resources: recordingResources(record), plugins: [...plugins, subjectHook] })
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

  const record = (call: string) => void calls.push(call)
  const tag = (name: string) => add('tags', { name })
  const insertsOf = async (run: () => Promise<unknown>) =>
    (await statementsOf(run)).filter(({ sql }) => /^(with .* as \()?insert/i.test(sql)).length
  const countTags = async () => {
    const rows = await (await libraryDatabase()).orm.em.getConnection().execute('select count(*)::int as n from tags')
    return rows[0]?.n
  }

  describe('single writes', () => {
    it('runs each function once when one statement writes the row', async () => {
      const { status } = await library.client.post('/tags', { data: { type: 'tags', attributes: { name: 'red' } } })
      expect(status).to.equal(201)
      expect(calls).to.deep.equal(['create', 'deserialize red', 'generate'])
    })

    it('runs each function once when one statement cannot write the row, on creation and on update', async () => {
      const { body } = await library.client.post('/shelves', { data: { type: 'shelves', attributes } })
      expect(calls).to.deep.equal(['deserialize Fiction', 'fill 2'])
      calls.length = 0
      const { id } = body.data
      const { status } = await library.client.patch(`/shelves/${id}`, { data: { type: 'shelves', id, attributes } })
      expect(status).to.equal(200)
      expect(calls).to.deep.equal(['deserialize Fiction', 'fill 2'])
    })

    it('runs each function once when a related resource is missing', async () => {
      const shelf = { data: { type: 'shelves', id: '4711' } }
      const data = { type: 'books', attributes: { title: 'Emma' }, relationships: { shelf } }
      const { status } = await library.client.post('/books', { data })
      expect(status).to.equal(404)
      expect(calls).to.deep.equal(['deserialize Emma'])
    })
    const attributes = { name: 'Fiction', size: 2 }

    it('writes a row with one statement when the constructor of its entity initializes a collection', async () => {
      expect(new Tag().books).to.be.an.instanceOf(Collection)
      const statements = await statementsOf(async () => {
        const { status } = await library.client.post('/tags', { data: { type: 'tags', attributes: { name: 'red' } } })
        expect(status).to.equal(201)
      })
      expect(statements.map(({ sql }) => sql.split(' ')[0])).to.deep.equal(['insert'])
    })
  })

  describe('deserializeUsing that returns an SQL fragment (raw)', () => {
    it('writes the result of the fragment on creation and on update', async () => {
      const created = await library.client.post('/tags', { data: { type: 'tags', attributes: { name: 'raw red' } } })
      expect(created.status, created.text).to.equal(201)
      expect(created.body.data.attributes.name).to.equal('RED')
      const { id } = created.body.data
      const data = { type: 'tags', id, attributes: { name: 'raw blue' } }
      const updated = await library.client.patch(`/tags/${id}`, { data })
      expect(updated.status, updated.text).to.equal(200)
      expect(updated.body.data.attributes.name).to.equal('BLUE')
      expect(calls.filter((call) => call.startsWith('deserialize'))).to.deep.equal([
        'deserialize raw red',
        'deserialize raw blue',
      ])
    })

    it('writes the results of the fragments in a batch', async () => {
      const results = readResults(await sendBatch(library.client, [tag('raw red'), tag('blue'), tag('raw green')]))
      expect(results.map(({ attributes }) => attributes?.name)).to.deep.equal(['RED', 'blue', 'GREEN'])
      expect(calls.filter((call) => call.startsWith('deserialize'))).to.have.length(3)
    })
  })

  describe('batches', () => {
    it('runs each function once per operation when a multi-row insert succeeds', async () => {
      const inserts = await insertsOf(async () => {
        readResults(await sendBatch(library.client, [tag('red'), tag('blue')]))
      })
      expect(inserts).to.equal(1)
      expect(calls.toSorted()).to.deep.equal(
        ['create', 'create', 'deserialize blue', 'deserialize red', 'generate', 'generate'].toSorted(),
      )
    })

    it('does not run generateUsing and deserializeUsing again when the multi-row insert fails', async () => {
      const response = await sendBatch(library.client, [tag('red'), tag('blue'), tag('red')])
      expectFailure(response, 409, 'CONFLICT', '/atomic:operations/2/data/attributes/name')
      expect(calls.filter((call) => call === 'create')).to.have.length(6) // the policy
      expect(calls.filter((call) => call === 'generate')).to.have.length(3)
      expect(calls.filter((call) => call.startsWith('deserialize'))).to.have.length(3)
      expect(await countTags()).to.equal(0)
    })

    it('returns 500 at the operation and writes nothing when a function throws an unexpected error', async () => {
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

    it('returns 403 at the operation when a function denies it', async () => {
      check = (name) => {
        if (name === 'blue') throw createError(403, 'Denied.')
      }
      const { status, body } = await sendBatch(library.client, [tag('red'), tag('blue')])
      expect(status).to.equal(403)
      expect(body.errors[0].source).to.deep.equal({ pointer: '/atomic:operations/1' })
      expect(calls).to.deep.equal(['create', 'create'])
    })

    it('runs each function once and returns 422 at the operation when deserializeUsing throws', async () => {
      const inserts = await insertsOf(async () => {
        const response = await sendBatch(library.client, [tag('red'), tag('forbidden'), tag('green')])
        expectFailure(response, 422, 'ATTRIBUTE_VALUE_INVALID', '/atomic:operations/1/data/attributes/name')
      })
      expect(inserts).to.equal(0)
      expect(calls.filter((call) => call === 'create')).to.have.length(3)
      expect(calls.filter((call) => call === 'deserialize red')).to.have.length(1)
    })

    it('runs each function at most once and returns 404 at the linkage when a related resource is missing', async () => {
      const shelf = { type: 'shelves', id: '4711' }
      const inserts = await insertsOf(async () => {
        const response = await sendBatch(library.client, [
          add('books', { title: 'Emma' }),
          add('books', { title: 'Persuasion' }, { shelf }),
        ])
        expectFailure(response, 404, 'RESOURCE_NOT_FOUND', '/atomic:operations/1/data/relationships/shelf/data')
      })
      expect(inserts).to.equal(0)
      expect(new Set(calls).size).to.equal(calls.length)
    })

    it('does not run the hooks of a multi-row insert again when a later operation fails', async () => {
      const operations = [tag('red'), tag('blue'), update({ type: 'shelves', id: '4711' }, { name: 'x' })]
      const { status, body } = await sendBatch(library.client, operations)
      expect(status).to.equal(404)
      expect(body.errors[0].source.pointer).to.match(/^\/atomic:operations\/2/)
      expect(calls.filter((call) => call === 'create')).to.have.length(2)
    })

    it('returns the early response of a hook and inserts the other rows with one statement', async () => {
      const inserts = await insertsOf(async () => {
        const { status, body } = await sendBatch(library.client, [tag('red'), tag('early'), tag('blue')])
        expect(status).to.equal(200)
        expect(body['atomic:results'][1]).to.deep.equal({ meta: { early: true } })
      })
      expect(inserts).to.equal(1)
      expect(await countTags()).to.equal(2)
    })

    it('returns 422 at the operation when a hook responds with 202', async () => {
      const response = await sendBatch(library.client, [tag('red'), tag('later')])
      expectFailure(response, 422, 'ASYNC_WRITE_IN_ATOMIC_OPERATION', '/atomic:operations/1')
    })
  })

  function recordingResources(record: (call: string) => void) {
    let generated = 0
    const deserialize = (value: unknown) => {
      record(`deserialize ${value}`)
      if (value === 'forbidden') throw new Error('Forbidden value.')
      const [, text] = /^raw (.+)$/.exec(String(value)) ?? []
      return text ? raw('upper(?)', [text]) : value
    }
    const tags = defineResource(Tag, {
      type: 'tags',
      fields: ({ id, string }) => [
        id()
          .uuid()
          .generateUsing(() => {
            record('generate')
            generated++
            return `00000000-0000-4000-8000-${String(generated).padStart(12, '0')}`
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
          .fillUsing((_shelf, value) => record(`fill ${value}`)),
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
