import { DriverException } from '@mikro-orm/core'
import { beginByOrm, endByOrm, type Orm } from '#store'

interface Statements {
  readonly up: string[]
  readonly down: string[]
}

/**
 * Removes statements that replace a check constraint by an equal one, and lets `down` restore checks as PostgreSQL shows them.
 * MikroORM compares expressions as texts, and removes casts to types of one word only: it leaves ` precision` of
 * `double precision`.
 */
export async function withStoredChecks(orm: Orm, { up, down }: Statements): Promise<Statements> {
  const equal = new Set<string>()
  for (const add of up) {
    const drop = up.find((statement) => isDrop(statement) && keyOf(statement) === keyOf(add))
    if (drop && isAdd(add) && (await isStored(orm, drop, add))) equal.add(keyOf(add))
  }
  const isChange = (statement: string) => !(isDrop(statement) || isAdd(statement)) || !equal.has(keyOf(statement))
  const restored = down.filter(isChange).map(async (statement) => {
    const definition = isAdd(statement) && (await readDefinition(orm.em.fork(), statement))
    return definition ? `${prefixOf(statement)} ${definition}` : statement
  })
  return { up: up.filter(isChange), down: await Promise.all(restored) }
}

const checkStatement = /^alter table (.+?) (drop|add) constraint ("(?:[^"]|"")+")(?= check |$)/

function isDrop(statement: string): boolean {
  return checkStatement.exec(statement)?.[2] === 'drop'
}

function isAdd(statement: string): boolean {
  return checkStatement.exec(statement)?.[2] === 'add'
}

/** The statement up to the name of the constraint. */
function prefixOf(statement: string): string {
  return checkStatement.exec(statement)?.[0] ?? ''
}

/** The table and the name of the constraint. */
function keyOf(statement: string): string {
  const [, table, , name] = checkStatement.exec(statement) ?? []
  return `${table} ${name}`
}

/** Whether PostgreSQL shows the added check in the same form as the existing one. Executes both statements and undoes them. */
async function isStored(orm: Orm, drop: string, add: string): Promise<boolean> {
  const em = orm.em.fork()
  const stored = await readDefinition(em, add)
  await beginByOrm(em)
  try {
    await em.execute(drop)
    await em.execute(add)
    return (await readDefinition(em, add)) === stored?.replace(/ NOT VALID$/, '')
  } catch (error) {
    if (error instanceof DriverException) return false // reads a column that the same change adds
    throw error
  } finally {
    await endByOrm(em, 'rollback')
  }
}

/** Null if the table has no check of this name. */
async function readDefinition(em: Orm['em'], statement: string): Promise<string | null> {
  const [, table = '', , name = ''] = checkStatement.exec(statement) ?? []
  const [row] = await em.execute<{ definition: string }[]>(
    `select pg_get_constraintdef(oid) as definition from pg_constraint
    where contype = 'c' and conrelid = to_regclass(?) and conname = ?`,
    [table, name.slice(1, -1).replaceAll('""', '"')],
  )
  return row?.definition ?? null
}
