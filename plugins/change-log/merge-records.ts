import type { Discriminated, LinkRecord, RowRecord, TableRecord } from './table-records.ts'

type Columns = RowRecord['columns']

/**
 * The record of a table for several versions of the application: everything that one of them records. If they contradict each
 * other, such as by another key, the first one wins.
 */
export function mergeRecords(records: readonly TableRecord[]): TableRecord {
  return {
    rows: mergeEntries(
      records.flatMap(({ rows }) => rows),
      ({ type }) => type,
      mergeRows,
    ),
    links: mergeEntries(
      records.flatMap(({ links }) => links),
      ({ type, member }) => JSON.stringify([type, member]),
      mergeLinks,
    ),
  }
}

/** Merges entries with the same identity, in the order of their first ones. */
function mergeEntries<Entry>(
  entries: readonly Entry[],
  identify: (entry: Entry) => string,
  merge: (first: Entry, second: Entry) => Entry,
): Entry[] {
  const merged = new Map<string, Entry>()
  for (const entry of entries) {
    const identity = identify(entry)
    const first = merged.get(identity)
    merged.set(identity, first ? merge(first, entry) : entry)
  }
  return [...merged.values()]
}

function mergeRows(first: RowRecord, second: RowRecord): RowRecord {
  const { deleted } = { ...second, ...first }
  return {
    type: first.type,
    key: first.key,
    ...(deleted !== undefined && { deleted }),
    columns: mergeColumns(first.columns, second.columns),
    ...((first.kept || second.kept) && { kept: { ...second.kept, ...first.kept } }),
    ...mergeDiscriminated(first, second),
  }
}

function mergeColumns(first: Columns, second: Columns): Columns {
  const names = new Set([...Object.keys(first), ...Object.keys(second)])
  return Object.fromEntries([...names].map((name) => [name, union(first[name], second[name])]))
}

function mergeLinks(first: LinkRecord, second: LinkRecord): LinkRecord {
  const columns = union(first.columns, second.columns)
  return {
    type: first.type,
    member: first.member,
    owner: first.owner,
    memberKey: first.memberKey,
    ...(columns.length > 0 && { columns }),
    ...((first.keeps || second.keeps) && { keeps: true }),
    ...mergeDiscriminated(first, second),
  }
}

/** An entry without a discriminator is about all rows. */
function mergeDiscriminated(first: Discriminated, second: Discriminated): Discriminated {
  const { discriminator, values } = first
  if (discriminator === undefined || second.discriminator === undefined) return {}
  return {
    discriminator,
    values: discriminator === second.discriminator ? union(values, second.values) : (values ?? []),
  }
}

function union(first: readonly string[] = [], second: readonly string[] = []): readonly string[] {
  return [...new Set([...first, ...second])]
}
