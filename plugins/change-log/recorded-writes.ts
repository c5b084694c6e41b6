import {
  type App,
  isRelationshipWrite,
  type OperationKind,
  type PlannedOperation,
  type Relation,
  type ResourceType,
} from '#kernel/plugin'
import { recordedTypes } from './install-triggers.ts'
import { tableRecords } from './table-records.ts'

declare module '#kernel/plugin' {
  interface App {
    /** The tables whose changes are recorded, quoted. */
    recordedTables?: ReadonlySet<string>
  }
}

interface Write {
  readonly kind: OperationKind
  readonly type: ResourceType
  readonly relation: Relation | null | undefined
}

/**
 * Which operations of a plan may change recorded rows. `linking`: those that send a relationship whose rows are recorded, such as
 * the foreign keys of a to-many. A deletion may cascade to rows of related types, and the code of an action may change them.
 */
export function recordedChanges(app: App, { kind, type, relation }: Write): 'all' | 'linking' | 'none' {
  if (!isRelated(type, app)) return 'none'
  if (isRecordedTable(app, type.shape.table?.().name)) return 'all'
  if (relation && isRelationshipWrite(kind)) return linksRecorded(app, type, relation) ? 'all' : 'none'
  if ((kind !== 'Create' && kind !== 'Update') || type.attributes.some(({ on }) => on)) return 'all'
  return type.relations.some((one) => linksRecorded(app, type, one)) ? 'linking' : 'none'
}

/** Whether an operation sends such a relationship. */
export function linksRecordedRows(app: App, { target, input }: PlannedOperation): boolean {
  const { type } = target
  return type !== undefined && (input?.linkage ?? []).some(({ relation }) => linksRecorded(app, type, relation))
}

function linksRecorded(app: App, { shape }: ResourceType, { property, throughProperty }: Relation): boolean {
  const links = property === null ? null : shape.table?.().findLinks(property, throughProperty)
  return isRecordedTable(app, links?.name)
}

function isRecordedTable(app: App, table: string | undefined): boolean {
  app.recordedTables ??= new Set(tableRecords(recordedTypes(app)).keys())
  return table !== undefined && app.recordedTables.has(table)
}

/** Whether the type is recorded, or has a relationship from or to a type that is. */
function isRelated(type: ResourceType, app: App): boolean {
  const relates = (from: ResourceType, to: ResourceType) =>
    from.relations.some(({ targets }) => targets.some(({ entity }) => entity === to.entity))
  return recordedTypes(app).some(
    (recorded) => recorded.entity === type.entity || relates(recorded, type) || relates(type, recorded),
  )
}
