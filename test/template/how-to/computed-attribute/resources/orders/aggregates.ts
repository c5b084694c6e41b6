import { type Provider, type Relation, shownFields, storeProvider } from '#kernel'

/** The aggregates of an order, which the provider adds to the rows it has read. */
const aggregates = Symbol('aggregates')

interface Aggregates {
  lineCount?: number
  total?: number
}

export function aggregatesOf(order: object): Aggregates {
  return (order as { readonly [aggregates]?: Aggregates })[aggregates] ?? {}
}

/** Computes the aggregates of a whole page, by one statement each, if the response shows them. */
export const orderProvider: Provider = {
  ...storeProvider,

  async complete(type, orders, query, context) {
    const shown = new Set(shownFields(type, query).attributes.map(({ name }) => name))
    for (const order of orders) Object.assign(order, { [aggregates]: {} })
    if (shown.has('lineCount')) {
      const path = [type.fields.get('lines') as Relation]
      const counts = await context.app.store.countThrough(path, orders, context)
      for (const [index, order] of orders.entries()) aggregatesOf(order).lineCount = counts[index] ?? 0
    }
    if (shown.has('total')) {
      const rows = await context.unit.run(sumOfLines, [orders.map(({ id }) => id)])
      const totals = new Map(rows.map(({ id, total }) => [id, Number(total)]))
      for (const order of orders) aggregatesOf(order).total = totals.get(order.id) ?? 0
    }
  },
}

const sumOfLines = `select order_id as id, sum(quantity * price) as total
  from order_lines where order_id = any($1::int[]) group by order_id`
