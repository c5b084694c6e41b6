import { expect } from 'chai'
import { type ApiResponse, defineResource } from '#kernel'
import { toApiErrors } from '#kernel/errors'
import { isData, listMembers } from '#kernel/plugin'
import { Policy } from '#plugins/authorization/index.ts'
import { type Instruction, LogicError } from '#program'
import type { TestApp } from '#test/support/app.ts'
import { statementsOf } from '#test/support/statements.ts'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { blueTag, fillLibrary, redTag } from '#test/template/specification/library-rows.ts'
import { Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

class ClosedPolicy extends Policy {
  static override readonly needs = { view: [] }

  viewAny() {
    return false
  }

  view() {
    return false
  }
}

describe('app.dispatch', () => {
  let library: TestApp
  const dispatch = (instruction: Instruction) => library.app.dispatch(instruction)
  const titles = (response: ApiResponse) =>
    isData(response) ? listMembers(response).map(({ record }) => record.title) : null
  const failure = async (instruction: Instruction) => dispatch(instruction).catch((error) => error)

  before(async () => {
    library = await startLibrary({ resources: libraryWith(closedShelves()) })
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  describe('reads', () => {
    it('returns a collection for a query string', async () => {
      const response = await dispatch({ kind: 'FetchCollection', type: 'books', query: 'sort=-title&page[size]=2' })
      expect(response).to.include({ kind: 'data', status: 200 })
      expect(titles(response)).to.deep.equal(['Sanditon', 'Persuasion'])
    })

    it('returns the same collection for a query object', async () => {
      const query = { sort: ['position', '-title'], page: { size: 3 }, fields: { books: 'title,position' } }
      const response = await dispatch({ kind: 'FetchCollection', type: 'books', query })
      expect(titles(response)).to.deep.equal(['Sanditon', 'Lady Susan', 'Persuasion'])
    })

    it('reads a list in fields like a comma-separated list', async () => {
      const query = { fields: { books: ['title', 'position'] } }
      const response = await dispatch({ kind: 'FetchCollection', type: 'books', query })
      if (!isData(response)) throw new Error('It is data.')
      const { fields } = response.operation.query
      expect([...(fields.get('books') ?? [])]).to.include.members(['title', 'position'])
    })

    it('returns a resource with includes, in as many statements as a request', async () => {
      const statements = await statementsOf(async () => {
        const instruction = { kind: 'FetchOne', type: 'books', id: '1', query: { include: ['tags'] } } as const
        const response = await dispatch(instruction)
        if (!isData(response)) throw new Error('It is data.')
        const { graph } = response.operation.context
        const names = graph.included(listMembers(response)).map(({ record }) => record.name)
        expect(names).to.have.members(['red', 'blue'])
      })
      const requestStatements = await statementsOf(() => library.client.get('/books/1?include=tags'))
      expect(statements).to.have.length(requestStatements.length)
    })

    it('returns related resources and linkage', async () => {
      const related = await dispatch({ kind: 'FetchRelated', type: 'shelves', id: '1', relation: 'allBooks' })
      expect(titles(related)).to.deep.equal(['Emma', 'Persuasion', 'Sanditon'])
      const linkage = await dispatch({ kind: 'FetchRelationship', type: 'books', id: '1', relation: 'shelf' })
      if (linkage.kind !== 'identifier') throw new Error('It is linkage.')
      expect(linkage.edge.members.map(({ record }) => record.id)).to.deep.equal([1])
    })
  })

  describe('writes', () => {
    it('creates a resource, and returns it with Location', async () => {
      const response = await dispatch({
        kind: 'Create',
        type: 'books',
        attributes: { title: 'The Watsons', position: 5 },
        relationships: { shelf: { type: 'shelves', id: '2' }, tags: [{ type: 'tags', id: redTag }] },
        query: 'include=shelf',
      })
      expect(response).to.include({ kind: 'data', status: 201 })
      expect(titles(response)).to.deep.equal(['The Watsons'])
      expect(response.headers?.Location).to.match(/^\/books\/\d+$/)
    })

    it('updates a resource and its relationships, and deletes it', async () => {
      await dispatch({ kind: 'Update', type: 'books', id: '2', attributes: { title: 'Persuaded' } })
      const tags = { type: 'books', id: '2', relation: 'tags' } as const
      await dispatch({ kind: 'AddToRelationship', ...tags, data: [{ type: 'tags', id: redTag }] })
      await dispatch({ kind: 'UpdateRelationship', ...tags, data: [{ type: 'tags', id: blueTag }] })
      const { body } = await library.client.get('/books/2?include=tags')
      expect(body.data.attributes.title).to.equal('Persuaded')
      expect(body.included.map(({ id }: { id: string }) => id)).to.deep.equal([blueTag])
      await dispatch({ kind: 'RemoveFromRelationship', ...tags, data: [{ type: 'tags', id: blueTag }] })
      await dispatch({ kind: 'UpdateRelationship', type: 'books', id: '2', relation: 'shelf', data: null })
      expect((await library.client.get('/books/2/shelf')).body.data).to.equal(null)
      expect(await dispatch({ kind: 'Delete', type: 'books', id: '2' })).to.deep.equal({ kind: 'none', status: 204 })
      expect((await library.client.get('/books/2')).status).to.equal(404)
    })

    it('throws the errors of an invalid write, and writes nothing', async () => {
      const error = await failure({ kind: 'Create', type: 'books', attributes: { title: '' } })
      expect(toApiErrors(error).map((one) => one.toObject())).to.deep.include.members([
        {
          status: '422',
          code: 'VALIDATION_FAILED',
          title: 'Unprocessable Entity',
          detail: toApiErrors(error)[0]?.toObject().detail,
          source: { pointer: '/data/attributes/title' },
        },
      ])
      const missing = await failure({ kind: 'Update', type: 'books', id: '99', attributes: {} })
      expect(toApiErrors(missing)[0]?.toObject()).to.include({ status: '404', code: 'RESOURCE_NOT_FOUND' })
    })
  })

  describe('authorization', () => {
    it('skips policies when no principal is given', async () => {
      expect((await library.client.get('/shelves')).status).to.equal(401)
      const response = await dispatch({ kind: 'FetchCollection', type: 'shelves' })
      expect(isData(response) && listMembers(response)).to.have.length(2)
    })

    it('applies policies when a principal is given', async () => {
      const principal = { identifier: 'ada@example.com', roles: [] }
      const error = await failure({ kind: 'FetchCollection', type: 'shelves', principal })
      expect(error).to.include({ status: 403 })
      expect(await failure({ kind: 'FetchCollection', type: 'shelves', principal: null })).to.include({ status: 401 })
    })
  })

  describe('query parameters', () => {
    it('ignores unknown custom parameters', async () => {
      const query = 'fooBar=1&fields[books]=title,unknown&relatedQuery[tags][sort]=name'
      expect(titles(await dispatch({ kind: 'FetchOne', type: 'books', id: '1', query }))).to.deep.equal(['Emma'])
      expect((await library.client.get(`/books/1?${query}`)).status).to.equal(400)
    })

    it('rejects invalid values and reserved names', async () => {
      const error = await failure({ kind: 'FetchCollection', type: 'books', query: 'sort=unknown&foo=1' })
      const codes = toApiErrors(error).map((one) => one.toObject().code)
      expect(codes).to.have.members(['SORTING_UNRECOGNIZED', 'QUERY_PARAM_UNRECOGNIZED'])
    })
  })

  it('throws a LogicError when the server, type, relation or operation does not exist', async () => {
    const faults: readonly (readonly [Instruction, string])[] = [
      [{ kind: 'FetchCollection', type: 'books', server: 'missing' }, "There is no server 'missing'."],
      [{ kind: 'FetchCollection', type: 'films' }, "The server 'default' does not offer the type 'films'."],
      [
        { kind: 'FetchCollection', type: 'books', server: 'admin' },
        "The server 'admin' does not offer the type 'books'.",
      ],
      [
        { kind: 'FetchRelated', type: 'books', id: '1', relation: 'title' },
        "The type 'books' has no relation 'title'.",
      ],
      [
        { kind: 'AddToRelationship', type: 'books', id: '1', relation: 'shelf', data: null },
        "The relation 'shelf' is to-one; use UpdateRelationship.",
      ],
    ]
    for (const [instruction, message] of faults) {
      const error = await failure(instruction)
      expect(error).to.be.instanceOf(LogicError)
      expect(error.message).to.equal(message)
    }
  })
})

function closedShelves() {
  return defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [
      id(),
      string('name'),
      hasMany('allBooks', 'books').storedAs('books').withoutPagination(),
    ],
    readOnly: true,
    policy: ClosedPolicy,
  })
}
