import { Ajv2020 } from 'ajv/dist/2020.js'
import { hasMoreParts } from '#kernel/plugin'
import { oneNamespace } from './one-namespace.ts'
import { answers, type Part, requests } from './schemas/documents.ts'
import { type Fault, faultsOf } from './to-faults.ts'

// Imported only where something is checked: compiling takes a moment.

/** Up to this many parts of a document, all faults are collected; of a larger document only the first is. */
const maxParts = 10_000

const whole = createAjv(true)
const untilFirst = createAjv(false)
for (const schema of [requests, answers].flatMap(Object.values))
  for (const ajv of [whole, untilFirst]) ajv.compile(schema)

/** The faults of a document, and whether there may be more. */
export interface Finding {
  readonly faults: readonly Fault[]
  readonly truncated: boolean
}

export function faultsInRequest(document: unknown, part: Part): Finding {
  return faultsBy(requests[part], document)
}

export function faultsInAnswer(document: unknown, part: Part): Finding {
  return faultsBy(answers[part], document)
}

function createAjv(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({ allErrors, verbose: true, allowUnionTypes: true, strictTypes: false })
  return ajv.addKeyword(oneNamespace)
}

/** Ajv keeps what it has compiled. */
function faultsBy(schema: object, document: unknown): Finding {
  const truncated = hasMoreParts(document, maxParts)
  const validate = (truncated ? untilFirst : whole).compile(schema)
  return { faults: validate(document) ? [] : faultsOf(validate.errors ?? []), truncated }
}
