import { Ajv2020 } from 'ajv/dist/2020.js'
import { hasMoreParts } from '#kernel/plugin'
import { oneNamespace } from './one-namespace.ts'
import { type DocumentKind, requestSchemas, responseSchemas } from './schemas/documents.ts'
import { type Fault, toFaults } from './to-faults.ts'

// Imported on demand: compiling the schemas slows the start, and the plugin is off by default.

/** All faults of a document with up to this many parts are collected; of a larger document only the first. */
const maxParts = 10_000

const collectingAjv = createAjv(true)
const failFastAjv = createAjv(false)
for (const schema of [requestSchemas, responseSchemas].flatMap(Object.values))
  for (const ajv of [collectingAjv, failFastAjv]) ajv.compile(schema)

export interface ValidationResult {
  readonly faults: readonly Fault[]
  /** The check stopped at the first fault; there may be more. */
  readonly truncated: boolean
}

export function validateRequest(document: unknown, kind: DocumentKind): ValidationResult {
  return validate(requestSchemas[kind], document)
}

export function validateResponse(document: unknown, kind: DocumentKind): ValidationResult {
  return validate(responseSchemas[kind], document)
}

function createAjv(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({ allErrors, verbose: true, allowUnionTypes: true, strictTypes: false })
  return ajv.addKeyword(oneNamespace)
}

function validate(schema: object, document: unknown): ValidationResult {
  const truncated = hasMoreParts(document, maxParts)
  const isValid = (truncated ? failFastAjv : collectingAjv).compile(schema) // cached by Ajv
  return { faults: isValid(document) ? [] : toFaults(isValid.errors ?? []), truncated }
}
