import { expect } from 'chai'
import { findJsonFault } from '#app/http/body/json-fault.ts'
import { createRandomSource } from '#test/conformance/random.ts'

describe('findJsonFault', () => {
  const valid = '{"a": [1, -2.5e+3, true, null, {"b\\u00e9\\n": ""}, []], "c": {}}\n'

  it('returns null for valid JSON', () => {
    for (const text of [valid, '0', ' "x" ', '[]', '{}', '[[[]]]', '\t\r\n null']) {
      expect(findJsonFault(text), text).to.equal(null)
    }
  })

  it('finds a fault in exactly the texts that JSON.parse rejects, not behind the position that V8 reports', () => {
    const { below, pick, chance } = createRandomSource(7)
    for (let round = 0; round < 4000; round++) {
      const at = below(valid.length)
      const inserted = chance(70) ? pick([...'{}[]",:0-.eE+\\ tfn\u0001x']) : ''
      const text = valid.slice(0, at) + inserted + valid.slice(at + below(3))
      const fault = findJsonFault(text)
      expect(fault === null, text).to.equal(isJson(text))
      const reported = reportedPosition(text)
      if (!fault || reported === null) continue
      expect(toOffset(text, fault), text).to.be.at.most(reported)
    }
  })

  it('reads a text with a million open brackets', () => {
    expect(findJsonFault('['.repeat(1_000_000))).to.deep.equal({ line: 1, column: 1_000_001, atEnd: true })
  })
})

function isJson(text: string): boolean {
  return reportedError(text) === null
}

function reportedError(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** V8 names the position for some faults only. */
function reportedPosition(text: string): number | null {
  const position = /at position (\d+)/.exec(reportedError(text) ?? '')?.[1]
  return position === undefined ? null : Number(position)
}

function toOffset(text: string, { line, column }: { readonly line: number; readonly column: number }): number {
  const lines = text.split('\n').slice(0, line - 1)
  return lines.reduce((sum, one) => sum + one.length + 1, 0) + column - 1
}
