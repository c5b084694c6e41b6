import { MetadataError, MikroORM } from '@mikro-orm/core'
import { StartupError } from './startup-error.ts'
import type { Orm } from './types.ts'

type Options = NonNullable<Parameters<typeof MikroORM.init>[0]>

/** Maps the entities. Throws a StartupError for a mistake in them, such as `mappedBy` with an unknown property. */
export async function initOrm(options: Options): Promise<Orm> {
  try {
    return (await MikroORM.init(options)) as unknown as Orm
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error
    throw new StartupError(`The entities in entity.ts cannot be mapped: ${error.message.replace(/\.$/, '')}.`)
  }
}
