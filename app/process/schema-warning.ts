import type { Config } from '../config.ts'

/** Returns a sentence about columns and tables that the database lacks; in development, with the command that adds them. */
export function schemaWarning(missing: readonly string[], { environment }: Pick<Config, 'environment'>): string {
  const fact = `The database lacks ${missing.join(', ')}, which entities declare: requests that use them fail.`
  if (environment === 'production') return `${fact} npm run doctor lists the differences.`
  return `${fact} npm run migrate -- create writes the migration of a changed entity, which the next start applies.`
}
