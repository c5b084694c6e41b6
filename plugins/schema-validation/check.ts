import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type Fault, faultsOf } from './faults.ts'
import { oneNamespace } from './one-namespace.ts'
import { answers, type Part, requests } from './schemas/documents.ts'

// Imported only where something is checked: compiling takes a moment.

const ajv = new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true, strictTypes: false })
ajv.addKeyword(oneNamespace)

const ofRequests = compile(requests)
const ofAnswers = compile(answers)

export function faultsInRequest(document: unknown, part: Part): Fault[] {
  return faultsBy(ofRequests[part], document)
}

export function faultsInAnswer(document: unknown, part: Part): Fault[] {
  return faultsBy(ofAnswers[part], document)
}

function compile(schemas: Readonly<Record<Part, object>>): Readonly<Record<Part, ValidateFunction>> {
  const { resource, linkage, batch } = schemas
  return { resource: ajv.compile(resource), linkage: ajv.compile(linkage), batch: ajv.compile(batch) }
}

function faultsBy(validate: ValidateFunction, document: unknown): Fault[] {
  return validate(document) ? [] : faultsOf(validate.errors ?? [])
}
