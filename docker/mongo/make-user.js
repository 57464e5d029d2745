// Runs in mongosh once, on an empty volume: the user whom the service is, who may do nothing outside of its database.
const name = 'detection_content'
db.getSiblingDB(name).createUser({ user: name, pwd: process.env.MONGODB_PASSWORD, roles: [{ role: 'readWrite', db: name }] })
