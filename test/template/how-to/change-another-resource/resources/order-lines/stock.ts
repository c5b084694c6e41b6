import { LockMode } from '@mikro-orm/core'
import { defineError } from '#kernel'
import type { HookContext } from '#plugins/lifecycle/index.ts'
import { Product } from '../products/entity.ts'
import type { OrderLine } from './entity.ts'

export const outOfStock = defineError(
  'OUT_OF_STOCK',
  409,
  'The product is out of stock',
  'The stock of the product is {stock}. Order at most as many pieces.',
)

/** Adds pieces to the stock of the product, or removes them if the number is negative. */
export async function changeStock({ product }: OrderLine, pieces: number, { context }: HookContext): Promise<void> {
  // Locks the row: a concurrent request waits, then reads the stock that this request has written.
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const locked = await context.unit.em.findOneOrFail(Product, product.id, { lockMode })
  if (locked.stock + pieces < 0) {
    throw outOfStock({ stock: locked.stock }, { source: { pointer: '/data/attributes/quantity' } })
  }
  locked.stock += pieces
}
