// Runs in mongosh. Exits with 0 when the replica set has a primary. Creates the set on the first run, because that requires a user and a running member.
const { MONGO_INITDB_ROOT_USERNAME: user, MONGO_INITDB_ROOT_PASSWORD: password, MONGODB_MEMBERS: members } = process.env
const NOT_YET_INITIALIZED = 94
db.getSiblingDB('admin').auth(user, password)
try {
  rs.status()
} catch (error) {
  if (error.code !== NOT_YET_INITIALIZED) throw error
  rs.initiate({ _id: 'rs0', members: members.split(' ').map((host, _id) => ({ _id, host, priority: _id === 0 ? 2 : 1 })) })
}
const { setName, primary } = db.hello()
quit(setName === 'rs0' && primary ? 0 : 1)
