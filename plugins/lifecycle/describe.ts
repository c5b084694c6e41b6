import type { OperationKind } from '#kernel/plugin'
import type { DescribedOperation, OpenApiDraft } from '#openapi'
import { callsOf } from './calls.ts'
import type { EventName } from './hooks.ts'

/** The events whose listeners may replace the response of an operation. */
const replacing: Readonly<Partial<Record<OperationKind, readonly EventName[]>>> = {
  FetchCollection: ['AfterFetchCollection'],
  FetchOne: ['AfterFetchOne'],
  Create: ['AfterCreate', 'AfterSave'],
  Update: ['AfterUpdate', 'AfterSave'],
  Delete: ['AfterDelete'],
}

/** Soft deletes keep the resource. */
const afterSave = ['AfterSave'] as const

/** Adds responses without data to operations whose response a hook may replace. */
export function describeHooks({ operations, refer }: OpenApiDraft): void {
  for (const operation of operations) {
    if (!mayBeReplaced(operation)) continue
    const { successes } = operation
    const meta = refer('MetaDocument')
    successes.set(204, successes.get(204) ?? { description: 'Success without a document.' })
    const standard = successes.get(200)
    if (!standard) successes.set(200, { description: 'Success; the document has only `meta`.', schema: meta })
    else if (standard.schema && standard.schema.$ref !== meta.$ref) standard.schema = { anyOf: [standard.schema, meta] }
  }
}

function mayBeReplaced({ kind, type }: DescribedOperation): boolean {
  const called = type ? callsOf(type) : {}
  const events = [...((kind && replacing[kind]) ?? []), ...(kind === 'Delete' && type?.deletedValues ? afterSave : [])]
  return events.some((event) => called[event] !== undefined)
}
