import type { Extension, Extensions } from '@electric-sql/pglite'
import type { DatabaseOptions } from '#store/connection/types.ts'

/** Loads the extensions that migrations declare. Skips those that PGlite does not contain. */
export async function loadExtensions({ migrations }: Pick<DatabaseOptions, 'migrations'>): Promise<Extensions> {
  const names = new Set(migrations.flatMap(({ class: migration }) => migration.extensions ?? []))
  const loaded = await Promise.all([...names].map(loadExtension))
  return Object.fromEntries(loaded.flatMap((entry) => (entry ? [entry] : [])))
}

/** `uuid-ossp` is exported as `uuid_ossp`. Returns null if there is no such module. */
export async function loadExtension(name: string): Promise<[name: string, Extension] | null> {
  const exported = name.replaceAll('-', '_')
  try {
    const module: Readonly<Record<string, Extension>> = await import(`@electric-sql/pglite/contrib/${exported}`)
    return module[exported] ? [exported, module[exported]] : null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_PACKAGE_PATH_NOT_EXPORTED' || code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  }
}
