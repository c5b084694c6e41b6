import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'CheckedSite',
  tableName: 'checked_sites',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text().nullable(),
    latitude: p.double(),
    longitude: p.double(),
    height: p.float(),
  },
  checks: [
    // As in generated entities, which have the expressions of the database.
    {
      name: 'sites_latitude',
      expression: `((latitude >= ('-90'::integer)::double precision) AND (latitude <= (90)::double precision))`,
    },
    { name: 'sites_longitude', expression: 'longitude between -180 and 180' },
    { name: 'sites_height', expression: 'height > 0 and height < 9000.5' },
    { name: 'sites_name', expression: `name in ('one', 'two;') or length(name) > 2` },
  ],
})
export class CheckedSite extends schema.class {}
schema.setClass(CheckedSite)
