import type { SqlEntityManager } from '@mikro-orm/sql'

/** Copies the old values, `size` rows per transaction, so that no request waits long for a row. Can be repeated. */
export async function backfill(em: SqlEntityManager, size = 1000): Promise<number> {
  const sql = `update customers set phone_number = phone where id in (
      select id from customers where phone_number is null order by id limit ${size} for update skip locked
    ) returning 1`
  for (let total = 0; ; ) {
    const { length } = await em.execute(sql)
    total += length
    if (length === 0) return total
  }
}
