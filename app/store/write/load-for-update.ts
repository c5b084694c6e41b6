import {
  type Context,
  compare,
  getOrCreate,
  type Persister,
  type ResourceType,
  type Row,
  type Selection,
  selectNames,
  wholeRow,
} from '#kernel/store'
import { convertRows } from '../sql/select.ts'
import { askRows, filters, selectText } from '../sql/select-rows.ts'
import { runCached } from '../sql/statement-cache.ts'
import { createStatementKey } from '../sql/statement-key.ts'
import { emOf, unitOf } from '../unit.ts'
import { isPlainType } from './direct-row.ts'
import { columnsOf } from './lock-rows.ts'

/** Reads the subject of a write into MikroORM's unit of work, within its scope, and locks it. */
export const loadSubject: Persister['load'] = async (type, key, context) => {
  const isIt = compare(type.id.property, '=', key)
  const asked = await createStatementKey(type, [type], [], context, type)
  asked.those(isIt, 'entity')
  const [found] = await runCached(type, asked, context, (compiler) => {
    const alias = compiler.alias()
    const where = [compiler.condition(isIt, type, alias), ...filters(compiler, type, [], alias)].join(' and ')
    const columns = columnsOf(compiler, type, alias).join(', ')
    return `select ${columns} from ${compiler.table(type)} ${alias} where ${where} for no key update of ${alias}`
  })
  return found ? emOf(context).map(type.entity, found as never) : null
}

/** The same for its values alone, where they are all there is to it. */
export const lockSubject: NonNullable<Persister['lock']> = async (type, key, context, names = []) => {
  if (!isPlainType(type, context)) return loadSubject(type, key, context)
  const selections = getOrCreate(rows, type, () => new Map<string, Selection>())
  const selection = getOrCreate(selections, names.join(), () => rowOf(type, names))
  const isIt = compare(type.id.property, '=', key)
  const asked = await askRows(type, selection, [], context, type)
  asked.those(isIt, 'locked')
  const found = await runCached(selection, asked, context, (compiler) => {
    const alias = compiler.alias()
    const where = [compiler.condition(isIt, type, alias), ...filters(compiler, type, [], alias)]
    return selectText(compiler, type, selection, alias, where, ` for no key update of ${alias}`)
  })
  return convertRows(type, selection, found, unitOf(context))[0] ?? null
}

/** The subject as an entity that MikroORM can write. */
export async function toEntity(type: ResourceType, subject: object, context: Context): Promise<Row> {
  if ('__helper' in subject) return subject as Row
  return (await loadSubject(type, type.persister.keyOf(type, subject), context)) as Row
}

const rows = new WeakMap<ResourceType, Map<string, Selection>>()

function rowOf(type: ResourceType, names: readonly string[]): Selection {
  return { ...selectNames([type.id.property, ...wholeRow(type), ...names]), links: [], chained: [] }
}
