import { expect } from 'chai'
import { declaredResources } from '#app/resources.ts'
import { discover } from '#discovery'
import type { ResourceType } from '#kernel'
import { root } from './support/app.ts'
import './support/catalogue.ts'
import { readCases, readCasesByRow, readLeaks, sample } from './support/leaks/cases.ts'
import { findingsText } from './support/leaks/findings.ts'
import type { Includes } from './support/leaks/reads.ts'
import { sendAll } from './support/leaks/replies.ts'
import { keysOf } from './support/leaks/rows.ts'
import { cursorsOf, fill, findIncludes, hideRows, serversOf, startRun } from './support/leaks/run.ts'
import { read, urlOf, type Way } from './support/leaks/way.ts'

// A row that a requester may not see does not exist for them. Every way to a row that the registry knows is tried with
// the hidden rows in the database and without them: the answers are the same.

const resources = await declaredResources(await discover(root))
const run = await startRun({ resources, decision: 'by-type' })
const byRow = await startRun({ resources, decision: 'rows-by-view' })
const { app, url, types, stored, blindfold } = run

after(async () => {
  await run.close()
  await byRow.close()
})
afterEach(() => {
  blindfold.hide([], [])
  byRow.blindfold.hide([], [])
})

describe('Rows that are hidden from a requester', () => {
  let includes: Includes
  before(async () => {
    includes = await findIncludes(run)
  })

  for (const type of stored) {
    for (const one of readCases) {
      it(`are in no answer and change none when ${one.title} ${type.name}`, async () => {
        const choice = one.denial === 'scope' ? sample(30, type.name) : sample(15, type.name)
        expect(findingsText(await readLeaks(run, type, one, includes, choice))).to.equal('')
      })
    }
  }

  it('are not reached by a cursor that another principal was given', async () => {
    const type = app.registry.types.get('users') as ResourceType
    await fill(run, type)
    const [way] = await cursorsOf(run, type)
    const [seen] = await sendAll(url, way ? [way] : [], 'seer')
    blindfold.hide([type], await keysOf(app, type))
    const [unseen] = await sendAll(url, way ? [way] : [], 'blind')
    const sizes = [seen, unseen].map((reply) => JSON.parse(reply?.text ?? '').data.length)
    expect(sizes).to.deep.equal([1, 0])
  })

  for (const type of types.filter(({ isStandalone, operations }) => isStandalone && operations.has('FetchOne'))) {
    it(`are not there when 'scope' leaves out one of ${type.name}, which are not in the database`, async () => {
      const [server] = serversOf(run, type)
      const all = await sendAll(url, [read(urlOf(server, type))], 'seer')
      const [id = '', ...others] = JSON.parse(all[0]?.text ?? '').data.map((one: { id: string }) => one.id)
      blindfold.hide([type], [type.codec.decode(id)])
      const ways = [read(urlOf(server, type, id)), read(urlOf(server, type, 'zzz')), read(urlOf(server, type))]
      const [seen, unseen, list] = await sendAll(url, ways, 'blind')
      expect([seen?.status, seen?.text.replaceAll(`'${id}'`, `'zzz'`)]).to.deep.equal([404, unseen?.text])
      const left = JSON.parse(list?.text ?? '').data.map((one: { id: string }) => one.id)
      expect(left.slice(0, others.length)).to.deep.equal(others)
    })
  }
})

describe('Rows that a view leaves out row by row', () => {
  let includes: Includes
  before(async () => {
    includes = await findIncludes(byRow)
  })

  for (const type of byRow.stored) {
    for (const one of readCasesByRow) {
      it(`are in no answer and change none when ${one.title} ${type.name}`, async () => {
        expect(findingsText(await readLeaks(byRow, type, one, includes, sample(15, type.name)))).to.equal('')
      })
    }
  }
})

describe('A hidden row is told of, where the specification itself demands it', () => {
  const user = { email: 'ada@example.com', displayName: 'Eve', password: 'passw0rd', passwordConfirm: 'passw0rd' }
  const owner = { data: { type: 'users', id: '1' } }
  const exceptions: Readonly<Record<string, readonly [type: string, way: Way, status: number, code?: string]>> = {
    'an id that a client chooses is taken': [
      'genres',
      {
        method: 'POST',
        path: '/genres',
        body: { data: { type: 'genres', id: 'sample-0', attributes: { name: 'x' } } },
      },
      409,
      'CLIENT_GENERATED_ID_ALREADY_EXISTS',
    ],
    'a value that no two may have in common is taken': [
      'users',
      { method: 'POST', path: '/admin/users', body: { data: { type: 'users', attributes: user } } },
      422,
      'VALIDATION_FAILED',
    ],
    'a to-one that no two may have in common is taken': [
      'libraries',
      { method: 'POST', path: '/libraries', body: { data: { type: 'libraries', relationships: { owner } } } },
      409,
      'CONFLICT',
    ],
    'what it refers to cannot be removed': ['albums', { method: 'DELETE', path: '/artists/1' }, 409, 'CONFLICT'],
    'a finished job leads to it': ['catalog-exports', read('/export-jobs/job-completed'), 303],
  }
  for (const [what, [name, way, status, code]] of Object.entries(exceptions)) {
    it(`${what}: ${status}`, async () => {
      await hideRows(run, app.registry.types.get(name) as ResourceType, 'scope')
      const [answer] = await sendAll(url, [way], 'blind')
      expect(answer?.status).to.equal(status)
      if (code) expect(JSON.parse(answer?.text ?? '').errors[0].code).to.equal(code)
    })
  }
})
