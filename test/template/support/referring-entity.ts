import { defineEntity, p } from '@mikro-orm/core'

// An entity whose foreign key has a default; its table has a second foreign key on the same column.

const schema = defineEntity({
  name: 'ReferringSite',
  tableName: 'referring_sites',
  properties: {
    id: p.integer().primary().autoincrement(),
    parent: () =>
      p
        .manyToOne(ReferringSite)
        .ref()
        .joinColumn('parent_id')
        .deleteRule('no action')
        .updateRule('no action')
        .foreignKeyName('sites_parent')
        .defaultRaw('1'),
  },
})
export class ReferringSite extends schema.class {}
schema.setClass(ReferringSite)
