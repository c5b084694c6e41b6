/** Types that the store adds by declaration merging. */
export interface StoreTypes<Entity> {}

/** A filter of rows in the language of the store: properties with the values or operators that they are compared with. */
export type RowFilter<Entity> = StoreTypes<Entity>['filter']

/** Without the mark that the store adds to types of properties with a default. */
export type Unmarked<Value> = Value extends infer Plain & StoreTypes<unknown>['defaultMark'] ? Plain : Value
