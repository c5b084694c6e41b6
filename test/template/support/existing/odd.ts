const plain = Array.from({ length: 50 }, (_, n) => n + 1)

/** 60 tables with names that are reserved words, that have spaces, capitals, accents and quotes, or that collide. */
export const odd: readonly string[] = [
  ...plain.flatMap((n) => [
    `create table t${String(n).padStart(2, '0')}_measurement_data (
      id serial primary key,
      value integer not null default ${n},
      ${n > 1 ? `previous_id integer references t${String(n - 1).padStart(2, '0')}_measurement_data,` : ''}
      note text
    )`,
    `insert into t${String(n).padStart(2, '0')}_measurement_data (note) values ('one'), ('two')`,
  ]),
  `create table "Order Details" ("Order ID" integer primary key, "Unit Price" numeric(8, 2), "from" text, "%" integer)`,
  `insert into "Order Details" values (1, 2.5, 'here', 5)`,
  `create table "select" (id serial primary key, type text not null default 'x', "constructor" text, "__proto__" text, lid text, "toString" text)`,
  `insert into "select" (type) values ('a'), ('b')`,
  `create table "user" ("userId" uuid primary key, "userName" text, user_name text, "USER_NAME" text)`,
  `insert into "user" values ('00000000-0000-0000-0000-000000000001', 'a', 'b', 'c')`,
  `create table "User" (id serial primary key, "user" uuid references "user", relationships integer)`,
  `insert into "User" ("user") values ('00000000-0000-0000-0000-000000000001')`,
  `create table "Größe (cm)" (id serial primary key, "höhe" integer, "it's" text, "a""b" text, "back\\slash" text)`,
  `insert into "Größe (cm)" ("höhe", "it's", "a""b", "back\\slash") values (1, 'x', 'y', 'z')`,
  `create table "2fa_codes" (id serial primary key, "1st" text, code text not null)`,
  `insert into "2fa_codes" ("1st", code) values ('a', 'b')`,
  `create table "2fa_uses" (id serial primary key, code integer references "2fa_codes")`,
  'insert into "2fa_uses" (code) values (1), (null)',
  'create table "表" (id serial primary key, "名前" text)',
  `insert into "表" ("名前") values ('x')`,
  'create table docs (id serial primary key, title text)',
  `insert into docs (title) values ('a')`,
  `create table dates (id serial primary key, date date, map integer, "order_id" integer references "Order Details" ("Order ID"))`,
  `insert into dates (date) values ('2024-02-29')`,
  `create table a_table_with_a_name_of_sixty_three_characters_which_is_the_limit (
    id serial primary key, a_column_with_a_name_of_sixty_three_characters_which_is_the_limi integer)`,
  'insert into a_table_with_a_name_of_sixty_three_characters_which_is_the_limit values (1, 1)',
  'create table person (id serial primary key, "group" text, people integer)',
  `insert into person ("group") values ('a')`,
  'create table people (id serial primary key, person integer references person, person_id integer references person)',
  'insert into people (person) values (1), (null)',
  'create table "People" (id serial primary key, "Id" text, "ID" text, _id text)',
  `insert into "People" ("Id") values ('a')`,
  'create table no_key (a integer, b text)',
  `insert into no_key values (1, 'x'), (1, 'x')`,
]
