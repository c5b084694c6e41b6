import { expect } from 'chai'
import { type ActionContext, data, meta, noContent } from '#plugins/actions/index.ts'
import { Policy } from '#plugins/authorization/index.ts'
import type { TestApp } from '#test/support/app.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import type { Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary } from '#test/template/support/library/index.ts'
import { type ShelfOverrides, startShelves } from '#test/template/support/library/shelves.ts'

class ShelfPolicy extends Policy {
  static override readonly needs = { view: [], update: [], delete: [] }
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
  rename = (principal: unknown) => principal !== null
  clear = () => true
  count = () => true
  peek = () => true
}

/** The names of hooks and handlers that have run. */
const calls: string[] = []

const overrides: ShelfOverrides = {
  policy: ShelfPolicy,
  beforeAction: () => void calls.push('beforeAction'),
  actions: ({ action }) => [
    action('rename', {
      input: 'document',
      inputType: 'renames',
      answers: 'data',
      handle({ subject, input }: ActionContext<Shelf, { name: string }>) {
        calls.push('rename')
        subject.name = input.name
        return data(subject)
      },
    }),
    action('clear', {
      method: 'DELETE',
      answers: 'noContent',
      handle({ subject }) {
        calls.push('clear')
        subject.name = ''
        return noContent()
      },
    }),
    action('count', { on: 'collection', answers: 'meta', handle: () => meta({ shelves: 2 }) }),
    action('peek', { method: 'GET', answers: 'meta', handle: ({ subject }) => meta({ name: subject.name }) }),
  ],
}

const document = (name: string) => ({ data: { type: 'renames', attributes: { name } } })
const errorOf = ({ status, body }: ClientResponse) => [status, body.errors[0].code, body.errors[0].source]
const failed = (header = 'If-Match') => [412, 'PRECONDITION_FAILED', { header }]

describe('Actions: conditional requests', () => {
  let library: TestApp
  beforeEach(async () => {
    library = await startShelves(overrides)
    calls.length = 0
  })
  afterEach(async () => {
    await library.close()
    await emptyLibrary()
  })

  const tagOf = async (id = '1') => (await library.client.get(`/shelves/${id}`)).headers.get('etag') as string
  const nameOf = async () => (await library.client.get('/shelves/1')).body.data.attributes.name
  const rename = (name: string, headers: Record<string, string>, id = '1') =>
    library.client.post(`/shelves/${id}/-actions/rename`, document(name), { ...as('ada'), ...headers })
  const clear = (headers: Record<string, string>) =>
    library.client.send('DELETE', '/shelves/1/-actions/clear', { headers })

  it('runs when If-Match has the version of the resource, by its tag, its version, a list or *', async () => {
    const tag = await tagOf()
    expect((await rename('A', { 'if-match': tag })).status).to.equal(200)
    expect((await rename('B', { 'if-match': `"0-a", ${await tagOf()}` })).status).to.equal(200)
    expect((await rename('C', { 'if-match': `"${(await tagOf()).slice(1).split('-')[0]}"` })).status).to.equal(200)
    expect((await clear({ 'if-match': '*' })).status).to.equal(204)
    expect(await nameOf()).to.equal('')
  })

  it('returns 412 and runs neither beforeAction nor the handler when the resource has another version', async () => {
    const tag = await tagOf()
    await rename('A', {})
    calls.length = 0
    expect(errorOf(await rename('B', { 'if-match': tag }))).to.deep.equal(failed())
    expect(errorOf(await rename('B', { 'if-match': `W/${await tagOf()}` }))).to.deep.equal(failed())
    expect(errorOf(await clear({ 'if-match': tag }))).to.deep.equal(failed())
    expect(errorOf(await clear({ 'if-none-match': await tagOf() }))).to.deep.equal(failed('If-None-Match'))
    expect(calls).to.deep.equal([])
    expect(await nameOf()).to.equal('A')
  })

  it('returns a tag with which the next request is accepted when the response is the subject', async () => {
    const first = await rename('A', { 'if-match': await tagOf() })
    const second = await rename('B', { 'if-match': first.headers.get('etag') as string })
    expect(second.status).to.equal(200)
    const updated = await library.client.patch(
      '/shelves/1',
      { data: { type: 'shelves', id: '1', attributes: { name: 'C' } } },
      { 'if-match': second.headers.get('etag') as string },
    )
    expect(updated.status).to.equal(200)
    expect(errorOf(await rename('D', { 'if-match': first.headers.get('etag') as string }))).to.deep.equal(failed())
  })

  it('accepts exactly one of ten concurrent requests with the same tag', async () => {
    const headers = { 'if-match': await tagOf() }
    const responses = await Promise.all(Array.from({ length: 10 }, (_, index) => rename(`n${index}`, headers)))
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).to.deep.equal([200, ...Array(9).fill(412)])
    const [accepted] = responses.filter(({ status }) => status === 200)
    expect(await nameOf()).to.equal(accepted?.body.data.attributes.name)
  })

  it('compares the version under the lock of the row, with one statement more than without If-Match', async () => {
    const tag = await tagOf()
    const conditional = (await statementsOf(() => rename('A', { 'if-match': tag }))).map(({ sql }) => sql)
    const unconditional = await statementsOf(() => rename('B', {}))
    expect(conditional.length - unconditional.length).to.equal(1)
    const lock = conditional.findIndex((sql) => sql.includes('for no key update'))
    expect(lock).to.be.greaterThan(-1)
    expect(conditional.findIndex((sql) => sql.includes('xmin'))).to.be.greaterThan(lock)
  })

  it('returns 404, 401 and 422 before 412', async () => {
    const stale = { 'if-match': '"0-a"' }
    expect((await rename('A', stale, '9')).status).to.equal(404)
    const anonymous = await library.client.post('/shelves/1/-actions/rename', document('A'), stale)
    expect(anonymous.status).to.equal(401)
    expect((await rename('Far too long', stale)).status).to.equal(422)
    expect(errorOf(await rename('A', stale))).to.deep.equal(failed())
  })

  it('returns 412 for If-Match on an action of the collection, which has no version', async () => {
    const response = await library.client.post('/shelves/-actions/count', undefined, { 'if-match': '*' })
    expect(errorOf(response)).to.deep.equal(failed())
    expect(response.body.errors[0].detail).to.contain('send no If-Match')
    const other = await library.client.post('/shelves/-actions/count', undefined, { 'if-none-match': '*' })
    expect(other.status).to.equal(200)
  })

  it('returns 304 for GET when If-None-Match has the tag of the response', async () => {
    const { headers } = await library.client.get('/shelves/1/-actions/peek')
    const tag = headers.get('etag') as string
    const repeated = await library.client.get('/shelves/1/-actions/peek', { 'if-none-match': tag })
    expect([repeated.status, repeated.text]).to.deep.equal([304, ''])
    await rename('A', {})
    expect((await library.client.get('/shelves/1/-actions/peek', { 'if-none-match': tag })).status).to.equal(200)
  })

  describe('of a type with requireIfMatch', () => {
    let strict: TestApp
    beforeEach(async () => {
      strict = await startShelves({ ...overrides, requireIfMatch: true })
    })
    afterEach(() => strict.close())

    it('return 428 without If-Match, after 404, 401 and 422', async () => {
      const run = (name: string, headers: Record<string, string>, id = '1') =>
        strict.client.post(`/shelves/${id}/-actions/rename`, document(name), headers)
      expect((await run('A', as('ada'), '9')).status).to.equal(404)
      expect((await run('A', {})).status).to.equal(401)
      expect((await run('Far too long', as('ada'))).status).to.equal(422)
      const refused = await run('A', as('ada'))
      expect(errorOf(refused)).to.deep.equal([428, 'PRECONDITION_REQUIRED', { header: 'If-Match' }])
      expect((await strict.client.send('DELETE', '/shelves/1/-actions/clear')).status).to.equal(428)
      expect(calls).to.deep.equal([])
      expect((await run('A', { ...as('ada'), 'if-match': '*' })).status).to.equal(200)
    })

    it('run without If-Match for GET and for the collection', async () => {
      expect((await strict.client.get('/shelves/1/-actions/peek')).status).to.equal(200)
      expect((await strict.client.send('POST', '/shelves/-actions/count')).status).to.equal(200)
    })

    it('describe If-Match, ETag, 412 and 428 where they apply', async () => {
      const { paths } = JSON.parse((await strict.client.get('/docs.json')).text)
      const partsOf = (path: string, method = 'post') => {
        const { parameters = [], responses } = paths[path][method]
        const hasHeader = (name: string) => parameters.some((one: { name?: string }) => one.name === name)
        const statuses = ['304', '412', '428'].filter((status) => status in responses)
        const tagged = Object.keys(responses).filter((status) => responses[status].headers?.ETag && status < '300')
        return [hasHeader('If-Match'), hasHeader('If-None-Match'), statuses, tagged]
      }
      const resource = '/shelves/{id}/-actions'
      expect(partsOf(`${resource}/rename`)).to.deep.equal([true, false, ['412', '428'], ['200']])
      expect(partsOf(`${resource}/clear`, 'delete')).to.deep.equal([true, false, ['412', '428'], []])
      expect(partsOf(`${resource}/peek`, 'get')).to.deep.equal([false, true, ['304', '412'], ['200']])
      expect(partsOf('/shelves/-actions/count')).to.deep.equal([false, false, ['412'], []])
    })
  })
})
