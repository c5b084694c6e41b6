import { expect } from 'chai'
import { declaredResources } from '#app/resources.ts'
import { discover } from '#discovery'
import type { ResourceType } from '#kernel'
import { root } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import {
  allRequests,
  readCases,
  readCasesByRow,
  readLeaks,
  sample,
  trashedReads,
} from '#test/conformance/leaks/cases.ts'
import { findingsText } from '#test/conformance/leaks/findings.ts'
import { buildUrl, type LeakRequest, read } from '#test/conformance/leaks/leak-request.ts'
import type { Includes } from '#test/conformance/leaks/reads.ts'
import { sendAll } from '#test/conformance/leaks/replies.ts'
import { readKeys } from '#test/conformance/leaks/rows.ts'
import { fill, findIncludes, hideRows, listServers, readCursors, startRun } from '#test/conformance/leaks/run.ts'

// A row that a caller may not see does not exist for this caller. Every path to a row that the registry defines is
// requested with the hidden rows in the database and without them: the responses are the same.

const resources = await declaredResources(await discover(root))
const run = await startRun({ resources, decision: 'by-type' })
const byRow = await startRun({ resources, decision: 'rows-by-view' })
const { app, url, types, stored, denials } = run

after(async () => {
  await run.close()
  await byRow.close()
})
afterEach(() => {
  denials.deny([], [])
  byRow.denials.deny([], [])
})

describe('Rows hidden from a caller', () => {
  let includes: Includes
  before(async () => {
    includes = await findIncludes(run)
  })

  for (const type of stored) {
    for (const readCase of readCases) {
      it(`returns the same responses with and without the hidden rows when ${readCase.title} ${type.name}`, async () => {
        const choice = readCase.denial === 'scope' ? sample(30, type.name) : sample(15, type.name)
        expect(findingsText(await readLeaks(run, type, readCase, includes, choice))).to.equal('')
      })
    }
  }

  it('returns no hidden row for the cursor of another principal', async () => {
    const type = app.registry.types.get('users') as ResourceType
    await fill(run, type)
    const [request] = await readCursors(run, type)
    const [seen] = await sendAll(url, request ? [request] : [], 'unrestricted')
    denials.deny([type], await readKeys(app, type))
    const [unseen] = await sendAll(url, request ? [request] : [], 'restricted')
    const sizes = [seen, unseen].map((reply) => JSON.parse(reply?.text ?? '').data.length)
    expect(sizes).to.deep.equal([1, 0])
  })

  for (const type of types.filter(({ isStandalone, operations }) => isStandalone && operations.has('FetchOne'))) {
    it(`returns 404 when 'scope' hides one of ${type.name}, which are not in the database`, async () => {
      const [server] = listServers(run, type)
      const all = await sendAll(url, [read(buildUrl(server, type))], 'unrestricted')
      const [id = '', ...otherIds] = JSON.parse(all[0]?.text ?? '').data.map((item: { id: string }) => item.id)
      denials.deny([type], [type.codec.decode(id)])
      const requests = [
        read(buildUrl(server, type, id)),
        read(buildUrl(server, type, 'zzz')),
        read(buildUrl(server, type)),
      ]
      const [seen, unseen, list] = await sendAll(url, requests, 'restricted')
      expect([seen?.status, seen?.text.replaceAll(`'${id}'`, `'zzz'`)]).to.deep.equal([404, unseen?.text])
      const listedIds = JSON.parse(list?.text ?? '').data.map((item: { id: string }) => item.id)
      expect(listedIds.slice(0, otherIds.length)).to.deep.equal(otherIds)
    })
  }
})

describe('Trashed rows', () => {
  for (const type of stored.filter(({ declaration }) => declaration.softDeletes)) {
    for (const readCase of trashedReads) {
      it(`returns the same responses with and without the trashed rows when ${readCase.title} ${type.name}`, async () => {
        const includes = await findIncludes(run)
        expect(findingsText(await readLeaks(run, type, readCase, includes, allRequests))).to.equal('')
      })
    }
  }
})

describe('Rows hidden by view', () => {
  let includes: Includes
  before(async () => {
    includes = await findIncludes(byRow)
  })

  for (const type of byRow.stored) {
    for (const readCase of readCasesByRow) {
      it(`returns the same responses with and without the hidden rows when ${readCase.title} ${type.name}`, async () => {
        expect(findingsText(await readLeaks(byRow, type, readCase, includes, sample(15, type.name)))).to.equal('')
      })
    }
  }
})

describe('Hidden rows that a response may reveal, as the specification requires', () => {
  const user = { email: 'ada@example.com', displayName: 'Eve', password: 'passw0rd', passwordConfirm: 'passw0rd' }
  const owner = { data: { type: 'users', id: '1' } }
  const exceptions: Readonly<
    Record<string, readonly [type: string, request: LeakRequest, status: number, code?: string]>
  > = {
    'a client-generated id is taken': [
      'genres',
      {
        method: 'POST',
        path: '/genres',
        body: { data: { type: 'genres', id: 'sample-1', attributes: { name: 'x' } } },
      },
      409,
      'CLIENT_GENERATED_ID_ALREADY_EXISTS',
    ],
    'a unique value is taken': [
      'users',
      { method: 'POST', path: '/admin/users', body: { data: { type: 'users', attributes: user } } },
      422,
      'VALIDATION_FAILED',
    ],
    'a unique to-one relationship is taken': [
      'libraries',
      { method: 'POST', path: '/libraries', body: { data: { type: 'libraries', relationships: { owner } } } },
      409,
      'CONFLICT',
    ],
    'a hidden row refers to the deleted resource': [
      'albums',
      { method: 'DELETE', path: '/artists/1' },
      409,
      'CONFLICT',
    ],
    'a finished job redirects to the hidden row': ['catalog-exports', read('/export-jobs/job-completed'), 303],
  }
  for (const [condition, [name, request, status, code]] of Object.entries(exceptions)) {
    it(`returns ${status} when ${condition}`, async () => {
      await hideRows(run, app.registry.types.get(name) as ResourceType, 'scope')
      const [response] = await sendAll(url, [request], 'restricted')
      expect(response?.status).to.equal(status)
      if (code) expect(JSON.parse(response?.text ?? '').errors[0].code).to.equal(code)
    })
  }
})
