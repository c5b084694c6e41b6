import { defineEntity, p } from '@mikro-orm/core'
import { Book, Label } from './entities.ts'

// A polymorphic many-to-many relation with an order: boxes contain books and labels.

const boxSchema = defineEntity({
  name: 'Box',
  tableName: 'boxes',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    removedAt: p.datetime(3).nullable(),
    contents: () => p.oneToMany(BoxItem).mappedBy('box').orderBy({ position: 'asc' }),
  },
})
export class Box extends boxSchema.class {}
boxSchema.setClass(Box)

const itemSchema = defineEntity({
  name: 'BoxItem',
  tableName: 'box_items',
  properties: {
    id: p.integer().primary(),
    box: () => p.manyToOne(Box).ref().index(),
    thing: () => p.manyToOne([Book, Label]).ref().index(),
    position: p.integer(),
  },
})
export class BoxItem extends itemSchema.class {}
itemSchema.setClass(BoxItem)
