// Runs in mongosh once, on an empty volume. Creates the user of the service, whose permissions are limited to its database.
const name = 'detection_content'
db.getSiblingDB(name).createUser({ user: name, pwd: process.env.MONGODB_PASSWORD, roles: [{ role: 'readWrite', db: name }] })
