-- SPDX-License-Identifier: MIT
-- Money moved between accounts, and audits: whatever runs at the same time, none may appear or vanish.
--
-- A transfer takes a random amount from one account, gives it to another and writes a line of history. An audit adds up
-- all balances in one transaction; a total that differs from what was there at the beginning fails the run. Money is
-- in whole cents; accounts may be overdrawn.
local schema = require("ioltp_schema")
local cmdline, int = sysbench.cmdline, sysbench.sql.type.BIGINT

local AMOUNT_MOST = 10000
local CENTS_MOST = 9007199254740991 -- a double holds whole numbers up to here

cmdline.options = {
   accounts = { "Number of accounts", 10000, cmdline.ARG_INT, range = "2..2147483647" },
   initial_balance = { "Cents on each account after prepare", 100000, cmdline.ARG_INT, range = "0.." },
   hotspot = { "Per cent of transfers that pay into account 1", 0, cmdline.ARG_INT, range = "0..100" },
   prepare = schema.prepare_option,
}

local accounts, total
local begin, commit, change, note, sum
local change_amount, change_id, note_from, note_to, note_amount

---- transactions --------------------------------------------------------------------------------------

local function pick_accounts()
   if sysbench.opt.hotspot > 0 and sysbench.rand.uniform(1, 100) <= sysbench.opt.hotspot then
      return sysbench.rand.default(2, accounts), 1
   end
   local from, to = sysbench.rand.default(1, accounts), sysbench.rand.default(1, accounts - 1)
   return from, to < from and to or to + 1
end

local function add(id, cents)
   change_amount:set(cents)
   change_id:set(id)
   change:execute()
end

local function transfer()
   local from, to = pick_accounts()
   local amount = sysbench.rand.uniform(1, AMOUNT_MOST)
   begin:execute()
   -- The lower number first: two transfers never wait for each other in a circle.
   if from < to then
      add(from, -amount)
      add(to, amount)
   else
      add(to, amount)
      add(from, -amount)
   end
   note_from:set(from)
   note_to:set(to)
   note_amount:set(amount)
   note:execute()
   commit:execute()
end

local function audit()
   begin:execute()
   local rs = sum:execute()
   local row = schema.stored() and rs:fetch_row()
   commit:execute()
   if row and tonumber(row[1]) ~= total then
      ioltp.fail(("bank: an audit found %s cents on all accounts instead of %.0f; the database lost or made money, "
         .. "`check` names the accounts"):format(row[1] or "no", total))
   end
end

ioltp.mix {
   transfer = { weight = 80, run = transfer },
   audit = { weight = 20, run = audit },
}

---- threads -------------------------------------------------------------------------------------------

local function tables()
   local pgsql, mysql = ioltp.driver == "pgsql", ioltp.driver == "mysql"
   local counter = pgsql and "BIGSERIAL PRIMARY KEY" or mysql and "BIGINT AUTO_INCREMENT PRIMARY KEY"
      or "INTEGER PRIMARY KEY"
   local engine = mysql and " ENGINE = InnoDB" or ""
   return {
      {
         name = "bank_accounts", columns = { "id", "balance", "filler" },
         create = "CREATE TABLE bank_accounts (id INTEGER NOT NULL, balance BIGINT NOT NULL, "
            .. "filler CHAR(84) NOT NULL, PRIMARY KEY (id))" .. engine,
         generator = "bank", rows = sysbench.opt.accounts, options = { balance = sysbench.opt.initial_balance },
         after = pgsql and { "VACUUM (ANALYZE) bank_accounts" } or {},
      },
      {
         name = "bank_history", columns = { "id", "from_id", "to_id", "amount", "client" },
         create = ("CREATE TABLE bank_history (id %s, from_id INTEGER NOT NULL, to_id INTEGER NOT NULL, "
            .. "amount BIGINT NOT NULL, client INTEGER NOT NULL)%s"):format(counter, engine),
      },
      {
         name = "bank_setup", columns = { "accounts", "initial_balance" },
         create = "CREATE TABLE bank_setup (accounts BIGINT NOT NULL, initial_balance BIGINT NOT NULL)" .. engine,
         after = { ("INSERT INTO bank_setup (accounts, initial_balance) VALUES (%d, %d)")
            :format(sysbench.opt.accounts, sysbench.opt.initial_balance) },
      },
   }
end

-- What prepare was told: number of accounts, cents on each.
local function read_setup(connection)
   if not schema.stored() then
      return sysbench.opt.accounts, sysbench.opt.initial_balance
   end
   local n, cents = connection:query_row("SELECT accounts, initial_balance FROM bank_setup")
   if n == nil then
      ioltp.fail("table bank_setup: it is empty, prepare was interrupted; run `cleanup`, then `prepare`")
   end
   return tonumber(n), tonumber(cents)
end

local function open_bank(connection)
   schema.require(connection, "bank_", tables())
   local cents
   accounts, cents = read_setup(connection)
   total = accounts * cents
end

local function bind(statement, n)
   local params = {}
   for i = 1, n do
      params[i] = statement:bind_create(int)
   end
   statement:bind_param(unpack(params))
   return unpack(params)
end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   open_bank(con)
   if sysbench.tid == 0 and accounts ~= sysbench.opt.accounts then
      ioltp.notice(("bank: using the %d accounts that prepare made"):format(accounts))
   end
   begin, commit = con:prepare("BEGIN"), con:prepare("COMMIT")
   change = con:prepare("UPDATE bank_accounts SET balance = balance + ? WHERE id = ?")
   change_amount, change_id = bind(change, 2)
   note = con:prepare(("INSERT INTO bank_history (from_id, to_id, amount, client) VALUES (?, ?, ?, %d)")
      :format(sysbench.tid))
   note_from, note_to, note_amount = bind(note, 3)
   sum = con:prepare("SELECT SUM(balance) FROM bank_accounts")
end

-- Also called when thread_init has failed.
function thread_done()
   if con then
      con:disconnect()
   end
end

---- commands ------------------------------------------------------------------------------------------

local function cmd_prepare()
   if sysbench.opt.accounts * sysbench.opt.initial_balance > CENTS_MOST then
      ioltp.usage(("--initial-balance: %d accounts of %.0f cents are more than can be added up exactly (%.0f); give less")
         :format(sysbench.opt.accounts, sysbench.opt.initial_balance, CENTS_MOST))
   end
   schema.prepare {
      con = sysbench.sql.driver():connect(), prefix = "bank_", mode = sysbench.opt.prepare, whole = true,
      tables = tables()
   }
end

-- Accounts whose balance is not what history makes of the initial one.
local UNEXPLAINED = [[
   SELECT a.id, a.balance, COALESCE(h.moved, 0) FROM bank_accounts a
   LEFT JOIN (SELECT id, SUM(cents) AS moved
              FROM (SELECT from_id AS id, -amount AS cents FROM bank_history
                    UNION ALL SELECT to_id, amount FROM bank_history) m
              GROUP BY id) h ON h.id = a.id
   WHERE a.balance <> %.0f + COALESCE(h.moved, 0) ORDER BY a.id LIMIT 10]]

local function check_accounts(connection, cents)
   local rs, wrong = connection:query(UNEXPLAINED:format(cents)), 0
   local row = rs:fetch_row()
   while row do
      print(("bank_accounts: account %s has %s cents, history makes it %.0f: WRONG")
         :format(row[1], row[2], cents + tonumber(row[3])))
      wrong = wrong + 1
      row = rs:fetch_row()
   end
   rs:free()
   return wrong == 0
end

local function say(ok, text, ...)
   print(text:format(...) .. (ok and ": ok" or ": WRONG"))
   return ok
end

local function cmd_check()
   local connection = sysbench.sql.driver():connect()
   if not schema.stored() then
      ioltp.fail("check: the null driver and dry runs keep no rows, there is nothing to check; use a database")
   end
   open_bank(connection)
   local n, sum_cents = connection:query_row("SELECT COUNT(*), COALESCE(SUM(balance), 0) FROM bank_accounts")
   local lines, odd = connection:query_row(("SELECT COUNT(*), COALESCE(SUM(CASE WHEN from_id <> to_id "
      .. "AND amount BETWEEN 1 AND %d THEN 0 ELSE 1 END), 0) FROM bank_history"):format(AMOUNT_MOST))
   local ok = say(tonumber(n) == accounts, "bank_accounts: %s accounts of %d", n, accounts)
   ok = say(tonumber(sum_cents) == total, "bank_accounts: %s cents of %.0f", sum_cents, total) and ok
   ok = say(tonumber(odd) == 0, "bank_history: %s transfers, %s of them impossible", lines, odd) and ok
   ok = say(check_accounts(connection, total / accounts), "bank_accounts: every balance follows from history") and ok
   if not ok then
      ioltp.fail("check: the bank's books are wrong, see the lines marked WRONG; "
         .. "keep the database for whoever looks into it, else run `cleanup` and `prepare`")
   end
end

function cleanup()
   schema.cleanup(sysbench.sql.driver():connect(), "bank_", { "bank_accounts", "bank_history", "bank_setup" })
end

cmdline.commands = {
   prepare = { cmd_prepare, cmdline.PARALLEL_COMMAND },
   check = { cmd_check },
}
