import type { AddressedRow, Context } from '#kernel/store'
import { keyQuery } from '#kernel/store'
import { toWriteError } from '../errors/write-errors.ts'
import type { Compiler } from '../sql/compiler.ts'
import { runStatement } from '../sql/run-statement.ts'
import { createStatement } from '../sql/statement-builder.ts'
import { addAddress, hasAddress } from './addressed-row.ts'
import { writeRows } from './write-rows.ts'

/** Deletes a row, or changes it if the type has soft deletes. False if no row in scope has the key and the version. */
export async function deleteRow(row: AddressedRow, context: Context): Promise<boolean> {
  const { type } = row
  const { deletedValues } = type
  if (deletedValues) {
    const values = new Map(Object.entries(deletedValues()))
    const write = { type, row, changes: [{ values, fills: [], toOne: new Map() }] as const, query: keyQuery(type) }
    return (await writeRows({ ...write, checksTargets: false }, context)).length > 0
  }
  try {
    const statement = await createStatement(type, [type], [], context, [type])
    const address = addAddress(statement, row)
    const deleted = await runStatement(
      type,
      statement,
      (compiler: Compiler) => {
        const alias = compiler.alias()
        const where = hasAddress(compiler, address, alias).join(' and ')
        return `delete from ${compiler.table(type)} as ${alias} where ${where} returning 1 as deleted`
      },
      'write',
    )
    return deleted.length > 0
  } catch (error) {
    throw toWriteError(error, type, context)
  }
}
