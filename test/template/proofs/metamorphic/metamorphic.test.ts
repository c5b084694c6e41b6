import { expect } from 'chai'
import { createRandomSource } from '#test/conformance/random.ts'
import { emptyLibrary, libraryDatabase } from '#test/template/support/library/index.ts'
import { checkRule, type Violation } from './check-rule.ts'
import { restoreLibrary } from './library-snapshot.ts'
import { fillRandomRows } from './random-rows.ts'
import { type RuleName, ruleNames } from './rules/index.ts'
import { type MetamorphicService, startMetamorphicService } from './service.ts'
import type { ResourceObject, WorldSend } from './world.ts'

// Each rule of `npm run template -- prove metamorphic` holds, and is violated by a response that is changed on purpose.

describe('npm run template -- prove metamorphic', () => {
  let service: MetamorphicService
  before(async () => {
    service = await startMetamorphicService()
  })
  after(async () => {
    await service.close()
    await emptyLibrary()
  })

  it('replaces the rows of another rule by those that batches write', async () => {
    for (const seed of [1, 2, 3, 4]) {
      await fillRandomRows(await libraryDatabase(), createRandomSource(seed))
      await restoreLibrary()
    }
  })

  for (const rule of ruleNames) {
    it(`holds: ${rule}`, async () => {
      for (const seed of [1, 2]) expect(await checkRule(rule, seed, service.sendFor(rule))).to.equal(null)
    })

    it(`finds a response that violates the rule: ${rule}`, async () => {
      const violation = await firstViolation(rule, broken(service.sendFor(rule), faults[rule]))
      expect(violation?.message, 'message').to.be.a('string')
      expect(violation?.requests.length, 'requests').to.be.above(0)
    })
  }
})

async function firstViolation(rule: RuleName, send: WorldSend): Promise<Violation | null> {
  for (let seed = 1; seed <= 20; seed++) {
    const violation = await checkRule(rule, seed, send)
    if (violation) return violation
  }
  return null
}

interface Shown {
  data?: ResourceObject[]
  meta?: { total?: number }
  'atomic:results'?: { data: { attributes?: Record<string, unknown> } | null }[]
}

/** Changes a document, by the path of its request. */
type Fault = (document: Shown, path: string) => void

const faults: Readonly<Record<RuleName, Fault>> = {
  pages: (document, path) => {
    if (path.includes('page[size]=1&') || /page(\[|%5B)(after|number|offset)/.test(path)) document.data?.pop()
  },
  cursors: (document, path) => {
    if (/page(\[|%5B)after/.test(path)) document.data?.shift()
  },
  includes: (document, path) => {
    if (!path.includes('include=')) document.data?.pop?.()
  },
  counts: (document) => {
    if (document.meta?.total !== undefined) document.meta.total++
  },
  partitions: (document, path) => {
    if (path.includes('filter[other')) document.data?.shift()
  },
  sorts: (document, path) => {
    if (path.includes(',')) document.data?.reverse()
  },
  fieldsets: (document, path) => {
    if (path.includes('fields[books]')) for (const row of document.data ?? []) Object.assign(row, { attributes: {} })
  },
  batches: (document) => {
    const [result] = document['atomic:results'] ?? []
    if (result?.data) result.data = { ...result.data, attributes: {} }
  },
}

function broken(send: WorldSend, change: Fault): WorldSend {
  return async (method, path, body, isBatch) => {
    const { status, text } = await send(method, path, body, isBatch)
    if (status !== 200) return { status, text }
    const document = JSON.parse(text)
    if (document.data === undefined || Array.isArray(document.data)) change(document, path)
    return { status, text: JSON.stringify(document) }
  }
}
