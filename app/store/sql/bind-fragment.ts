import { isRaw, type Platform } from '@mikro-orm/core'

/** A part of a statement as MikroORM builds it: a text with placeholders, and their values. */
interface Fragment {
  readonly sql: string
  readonly params: readonly unknown[]
}

/**
 * Returns the SQL of a fragment with its values bound. MikroORM replaces the placeholders itself, by a platform whose
 * `quoteValue` binds a value in place of quoting it. Throws if the fragment has not one value for each placeholder.
 */
export function bindFragment({ sql, params }: Fragment, platform: Platform, bind: (value: unknown) => string): string {
  let replaced = 0
  const next = () => {
    if (replaced++ >= params.length) throw wrongCount(sql, params.length)
  }
  const binding: Platform = Object.create(platform, {
    quoteValue: {
      value(value: unknown) {
        next()
        return isRaw(value) ? bindFragment(value, platform, bind) : bind(value)
      },
    },
    quoteIdentifier: {
      value(name: string) {
        next()
        return platform.quoteIdentifier(name)
      },
    },
  })
  // Without a value MikroORM would leave the text as it is, also `\?`, which stands for a question mark.
  const text = binding.formatQuery(sql, [...params, null])
  if (replaced < params.length) throw wrongCount(sql, params.length)
  return text
}

function wrongCount(sql: string, values: number): Error {
  const placeholders = sql.match(/(?<!\\)\?\??/g)?.length ?? 0
  const counts = `${placeholders} placeholders and ${values} values`
  return new Error(`The SQL fragment '${sql}' has ${counts}; '\\?' is a question mark.`)
}
